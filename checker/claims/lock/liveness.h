// The claim `liveness`: after the last fault has healed, every lock can be acquired again within
// lease and grace. While clients run, nobody asks in vain for a free lock for three times as long.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated if the probe of a key timed out, if a key has no expiry, or if no lease explains its
// expiry: ten times lease and grace, and ten seconds for services with a least lease. Valid when
// every probe was granted within lease and grace. Unknown when a probe has no answer, or when most
// granted keys were not probed. Also unknown when a probe was granted after lease and grace: its
// last attempt may have taken effect in time.
//
//   expiry:   *          | -1      no violation: the only server keeps an outlasting key even
//   probe:       P--p              while the lock is free, and still grants the lock
//
// The clients' own time counts too, because a library may block a key only while its clients live:
//
//   c1:     A-a=R-?                              unknown: c1's session may have kept the key
//   c2:        A-x  A-x  A-x  A-x  A-x
//   probe:                             P-p
//
// - On one node, violated if a client was refused a certainly free key for longer than three times
//   lease and grace (FindRefusalOfFreeKey).
// - Otherwise unknown if a client asked in vain for that long (asked_in_vain.h).
//
// Also unknown where the probe may have been refused legitimately:
// - a lease (lease_ends.h) that its client had not released ran for nearly all of the probe;
// - a fault that does not act on a client was active. A lasting fault (a killed server, a moved
//   clock, a cut replication) counts only if it began during the probe;
// - the probe gave up more than half the grace before lease and grace had passed.
//
//   c1:     A-a=============!      whether or not c1 was killed
//   probe:         P-----x
ClaimVerdict CheckLiveness(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_LIVENESS_H_
