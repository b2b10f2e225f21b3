// Describes a fault of a simulated execution in words.
#ifndef DOUBLEHOLD_LIB_SIM_FAULT_TEXT_H_
#define DOUBLEHOLD_LIB_SIM_FAULT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/fault_forms.h"
#include "lib/base/time.h"

namespace doublehold::sim {

struct BegunFault {
  FaultForm fault = FaultForm::kPause;
  int client = -1;             // the client that the fault hits, or -1
  int node = -1;               // the node that the fault hits, or -1
  std::string_view command{};  // the message's first word, or "script"
  Duration lasts{};
};
std::string TextOf(const BegunFault& begun);

// Caches the texts, because formatting a text takes a good part of the time of an execution.
class FaultTexts {
 public:
  // The reference is valid until the next call.
  const std::string& Of(const BegunFault& begun);

 private:
  struct Kept {
    BegunFault begun;
    std::string command, text;
  };
  std::vector<Kept> kept_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FAULT_TEXT_H_
