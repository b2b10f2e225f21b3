// The lists of models: each file describes its own, and models.cc joins them.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_MODEL_ROWS_H_
#define DOUBLEHOLD_CHECKER_LINEAR_MODEL_ROWS_H_

#include <vector>

#include "checker/linear/model.h"

namespace doublehold {

std::vector<Model> LockModels();
std::vector<Model> LeaseModels();
std::vector<Model> DataModels();

// The first number of a value.
inline int64_t First(const LinearValue& value, int64_t fallback) {
  return value.empty() || value.front() == kNil ? fallback : value.front();
}

// Owners are counted from 1; 0 is nobody.
inline int64_t OwnerOf(const Operation& operation) { return int64_t{operation.process} + 1; }

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_MODEL_ROWS_H_
