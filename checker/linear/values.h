// Values of a log as numbers: equal numbers exactly for equal values.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_
#define DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"
#include "lib/history/form.h"

namespace doublehold {

// Not thread-safe.
class ValueNumbers {
 public:
  explicit ValueNumbers(const Model& model) : model_(model) {}

  // Of what an operation was asked: a value, several, or of a map the part that a model asks for (a lease).
  LinearValue OfArgument(FormView value) { return Of(value, {"lease_ns", "lease"}); }
  // And of what it answered (a token).
  LinearValue OfResult(FormView value) { return Of(value, {"token", ""}); }

 private:
  LinearValue Of(FormView value, const std::string_view (&parts)[2]);
  LinearValue OfSequence(FormView value);
  // Nil is kNil; texts, and all that is no number of its own, are numbered from the far end, where no history counts.
  int64_t NumberOf(FormView value);

  const Model& model_;
  std::unordered_map<std::string, int64_t> words_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_VALUES_H_
