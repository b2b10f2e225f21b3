// Values of a log as numbers: equal numbers exactly for equal values.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_
#define DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_

#include <cstdint>
#include <string>
#include <unordered_map>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"
#include "lib/base/result.h"
#include "lib/history/foreign/value.h"

namespace doublehold {

// Not thread-safe.
class ValueNumbers {
 public:
  // What a model reads of it. The error says what is wrong with the value, and not where it stands.
  Result<LinearValue> Of(FormView value, ValueKind kind);

 private:
  Result<LinearValue> OfEach(FormView sequence);
  // Nil is kNil; texts, and all that is no number of its own, are numbered from the far end, where
  // no history counts.
  int64_t NumberOf(FormView value);

  std::unordered_map<std::string, int64_t> words_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_
