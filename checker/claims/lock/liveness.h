// The claim `liveness`: after the last fault is healed every lock can be had again within lease and
// grace.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated for a key whose probe gave up, or which would never expire; valid when the probe of
// every probed key was granted in lease and grace; unknown when most that were granted were not
// probed, and when one was granted later: the attempt that was may have been carried out in time.
//
//   expiry:   *          | -1      its only server has it without an expiry, and grants the lock: it stays when nobody
//   probe:       P--p              has that, and keeps nobody out
//
// Nor is it violated, but unknown, where the probe may have been refused rightly: nearly to its end
// a lease ran (free_intervals.h), of who had not given the key back; or a fault was on, that is on
// no client, and not there for good: a server that was killed, a clock that was moved, replicas
// that were cut off.
//
//   c1:     A-a=============!      killed or not
//   probe:         P-----x
ClaimVerdict CheckLiveness(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
