// A correct lock service for tests: clients that acquire its lock at random, late and lost answers,
// and the history that they record. It can have one planted defect.
#ifndef DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVICE_H_
#define DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVICE_H_

#include "checker/testing/reference_server.h"
#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold {

// The stock is written as in mode `watch`.
History RunService(const ServiceOptions& options, Prng& prng);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVICE_H_
