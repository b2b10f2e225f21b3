// For tests: whether a history can be ordered, found out slowly and obviously, to hold the search
// against.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_EVERY_ORDER_H_
#define DOUBLEHOLD_CHECKER_LINEAR_EVERY_ORDER_H_

#include <vector>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"

namespace doublehold {

// Tries every order that real time and each process's own order allow, one operation after the
// other, on an object of its own (plain_objects.h); of the lease-mutex, which depends on when
// things happen, every order at every whole instant, with a lock that knows its lease and the time.
// For some eight operations.
bool CanBeOrdered(const Model& model, const ModelParameters& parameters,
                  const std::vector<Operation>& operations);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_EVERY_ORDER_H_
