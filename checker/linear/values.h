// Numbers the values of a log, so that numbers are equal exactly for equal values.
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
  // The numbers of a value, as a model reads it. The error says what is wrong with the value, but
  // not where it is.
  Result<LinearValue> Of(FormView value, ValueKind kind);

 private:
  Result<LinearValue> OfEach(FormView sequence);
  // Nil is kNil. Texts, and other values that are no integers, are numbered from the far end, which
  // no history reaches.
  int64_t NumberOf(FormView value);

  std::unordered_map<std::string, int64_t> words_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_
