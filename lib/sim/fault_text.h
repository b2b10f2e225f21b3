// How a fault that struck is told to a reader.
#ifndef DOUBLEHOLD_LIB_SIM_FAULT_TEXT_H_
#define DOUBLEHOLD_LIB_SIM_FAULT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/fault_forms.h"
#include "lib/base/time.h"

namespace doublehold::sim {

struct Struck {
  FaultForm fault = FaultForm::kPause;
  int client = -1;             // -1: none
  int node = -1;               // likewise
  std::string_view command{};  // of a message: its first word, or "script"
  Duration lasts{};
};
std::string TextOf(const Struck& struck);

// Keeps each text that it made: to write one takes as long as a good part of an execution.
class FaultTexts {
 public:
  // Until the next call.
  const std::string& Of(const Struck& struck);

 private:
  struct Kept {
    Struck struck;
    std::string command, text;
  };
  std::vector<Kept> kept_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FAULT_TEXT_H_
