// The claim `liveness`: after the last fault is healed every lock can be had again within lease and
// grace.
#ifndef DOUBLEHOLD_CHECKER_LIVENESS_H_
#define DOUBLEHOLD_CHECKER_LIVENESS_H_

#include "checker/checker.h"
#include "checker/evidence.h"

namespace doublehold {

// Violated for a key whose probe gave up, or which would never expire; valid when the probe of every probed key was granted in lease
// and grace; unknown when none was probed, and when one was granted later: the attempt that was may have been carried out in time.
//
//   expiry:   *          | -1      its only server has it without an expiry, and grants the lock: it stays when nobody
//   probe:       P--p              has that, and keeps nobody out
ClaimVerdict CheckLiveness(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LIVENESS_H_
