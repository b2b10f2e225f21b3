// For tests: decides in a slow and simple way whether a history can be ordered. Tests compare the
// search with this decision.
#ifndef DOUBLEHOLD_CHECKER_TESTING_LINEAR_EVERY_ORDER_H_
#define DOUBLEHOLD_CHECKER_TESTING_LINEAR_EVERY_ORDER_H_

#include <vector>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"

namespace doublehold {

// Tries every order that real time and each process's own order allow, on the objects of
// plain_objects.h. The lease-mutex depends on time, so each operation is tried at every whole ns of
// its interval. Fast enough for up to about eight operations.
bool CanBeOrdered(const Model& model, const ModelParameters& parameters,
                  const std::vector<Operation>& operations);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_LINEAR_EVERY_ORDER_H_
