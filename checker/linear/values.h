// Converts the values of a log to numbers. Two values are equal exactly if their numbers are equal.
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
  // Converts a value of the given kind. The error names the defect of the value but not its line.
  Result<LinearValue> Of(FormView value, ValueKind kind);

 private:
  Result<LinearValue> ConvertElements(FormView sequence);
  // Nil is kNil. An integer far above kNil stays unchanged. Texts and all other values get the
  // numbers just above kNil, in order of appearance.
  int64_t ConvertOne(FormView value);

  std::unordered_map<std::string, int64_t> words_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_
