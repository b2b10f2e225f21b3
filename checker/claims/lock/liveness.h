// The claim `liveness`: after the last fault has healed, every lock can be acquired again within
// lease and grace.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated if the probe of a key timed out, or if a key has no expiry. Valid when every probe was
// granted within lease and grace. Unknown when a probe has no answer, or when most granted keys were
// not probed. Also unknown when a probe was granted after lease and grace: its last attempt may have
// taken effect in time.
//
//   expiry:   *          | -1      no violation: the only server keeps a key without expiry even
//   probe:       P--p              while the lock is free, and still grants the lock
//
// Also unknown where the probe may have been refused legitimately:
// - a lease (free_intervals.h) that its client had not released ran for nearly all of the probe;
// - a fault that does not act on a client was active. A lasting fault (a killed server, a moved
//   clock, a cut replication) counts only if it began during the probe;
// - the probe gave up more than half the grace before lease and grace had passed.
//
//   c1:     A-a=============!      whether or not c1 was killed
//   probe:         P-----x
ClaimVerdict CheckLiveness(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
