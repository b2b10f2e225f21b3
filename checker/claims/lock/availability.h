// The claim `availability`: an acquire of a free lock is granted within lease and grace.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_AVAILABILITY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_AVAILABILITY_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"
#include "checker/verdict/violation.h"

namespace doublehold {

// Violated when a session was refused a key for longer than lease and grace within one undisturbed
// window. In such a window, the key is certainly free (possession.h), and no disturbance delays
// the session's client (disturbed.h):
//
//   c1:  A-a==R-r        >             violated: nobody has held the key since `r`
//   c2:                     A-x
//
// - On one node, one refusal is enough if it has a retry hint, which reports that the key is taken.
//   Without a hint, a library may not have asked its server. A built-in lock also refuses after an
//   error, or if too few replicas acknowledged its grant.
// - Otherwise the session must have retried for longer than lease and grace, with gaps of at most a
//   lease. On several nodes, two clients that each lock a part of the nodes refuse each other a
//   free key:
//
//   c1:  A-x A-x A-x  >  A-x           violated twice, on three nodes
//   c2:  A-x A-x A-x  >  A-x
//
// A new window begins at the end of
// - each fault, except faults on lock servers alone that leave a majority of them, and faults that
//   only stop or slow another client;
// - each stall longer than half the grace, of the client or on its request path.
// On several nodes or with a queue, a fault that stops or slows another client counts too, and so
// does a stall of another client, if that client may then have been in the way (FindWaits).
// No window begins after one of these faults, because its effects may last:
// - a fault that moved a clock or lost data, or that killed too many servers for a majority;
// - any fault, if leases may have no end;
// - any fault that did more than stop or slow clients, if there may be a queue: on one node, with a
//   lock that has the trait `queue`, or with any library.
// Faults on the store alone do not count. Time in which the client was blocked is subtracted.
//
// Within a window, a refusal is unknown in these cases:
// - On one node, another session may be ahead in a queue: it has invoked an acquire since its last
//   grant. Exception: if all such sessions retry for longer than lease and grace too, one of them
//   must be granted the key.
// - On several nodes, a slow refusal may have missed answers of nodes. A slow refusal also ends the
//   series of retries. A series that is long enough only together with such a refusal is unknown.
// - The driver may have refused without asking the lock, because an earlier call is unanswered. A
//   series that is long enough only together with such refusals is unknown.
// - The session retried long enough only together with this call, which may have asked the lock
//   only once.
//
// A grant answered later than lease and grace, without a late refusal before it, is unknown too:
// the lock may have granted the key in time. Exception: another acquire, invoked during this one,
// was granted the key first, within lease and grace. Then the wait counts anew from the end of each
// hold that was granted during this acquire. The time in which the next holder was blocked in its
// own acquire does not count. This grant cannot be judged if an acquire of the key that was invoked
// during this one is unanswered, or is a refused acquire of several keys.
//
//   c1:  A------------------------a         no doubt, if both gaps are short: c2 and c3 were
//   c2:    A-a==R-r                         granted the key first
//   c3:               A-a===R-r
//
// Counts one violation for each session and free interval. The margin is the least time left of
// lease and grace, or the longest time beyond. Unknown if no case was judged. Also unknown if the
// grants that cannot be judged, late grants under disturbances, and unanswered acquires without a
// fault, outnumber the judged cases.
ClaimVerdict CheckAvailability(const Evidence& evidence, const Limits& limits);

// Returns the first violation by this key, with a time of patience in place of lease and grace.
std::optional<Violation> FindRefusalOfFreeKey(const Evidence& evidence, uint16_t key,
                                              int64_t patience_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_AVAILABILITY_H_
