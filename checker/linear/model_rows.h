// The models of each source file. models.cc joins the lists.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_MODEL_ROWS_H_
#define DOUBLEHOLD_CHECKER_LINEAR_MODEL_ROWS_H_

#include <vector>

#include "checker/linear/model.h"

namespace doublehold {

std::vector<Model> LockModels();
std::vector<Model> LeaseModels();
std::vector<Model> DataModels();

// Returns the first number of a value, or `fallback` if the value is empty or nil.
inline int64_t FirstNumber(const LinearValue& value, int64_t fallback) {
  return value.empty() || value.front() == kNil ? fallback : value.front();
}

// Returns the number of an owner in a model's state: the process number plus 1. 0 means no owner.
inline int64_t OwnerNumber(const Operation& operation) { return int64_t{operation.process} + 1; }

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_MODEL_ROWS_H_
