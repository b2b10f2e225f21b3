// A lock service that does what it should, for tests: clients that take its lock at random, with
// answers that are late or lost, and the history they would record. It can be given one defect.
#ifndef DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVICE_H_
#define DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVICE_H_

#include "checker/testing/reference_server.h"
#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold {

// The stock is written as `watch` does.
History RunService(const ServiceOptions& options, Prng& prng);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_REFERENCE_SERVICE_H_
