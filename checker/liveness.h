// The claim `liveness`: after the last fault is healed every lock can be had again within lease and
// grace.
#ifndef DOUBLEHOLD_CHECKER_LIVENESS_H_
#define DOUBLEHOLD_CHECKER_LIVENESS_H_

#include "checker/checker.h"
#include "checker/evidence.h"

namespace doublehold {

// Violated for a key whose probe gave up, or which would never expire; valid when the probe of
// every probed key was granted; unknown when none was probed.
ClaimVerdict CheckLiveness(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LIVENESS_H_
