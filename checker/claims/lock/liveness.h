// The claim `liveness`: after the last fault has healed, every lock can be acquired again within
// lease and grace.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated for a key whose probe timed out, or that would never expire. Valid when every probe was
// granted within lease and grace. Unknown when most granted keys were not probed. Also unknown when
// a probe was granted later: its last attempt may have been carried out in time.
//
//   expiry:   *          | -1      its only server has the key without expiry, and grants the lock:
//   probe:       P--p              the key remains when nobody holds the lock, and blocks nobody
//
// Unknown, too, where the probe may have been refused rightly:
// - for nearly all of its time a lease ran (free_intervals.h) that its client had not released;
// - a fault was active that is neither on a client nor lasting. Lasting faults are a killed server,
//   a moved clock, and a cut replication.
//
//   c1:     A-a=============!      killed or not
//   probe:         P-----x
ClaimVerdict CheckLiveness(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
