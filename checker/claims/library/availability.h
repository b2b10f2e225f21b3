// The claim `availability`: a free lock is granted within lease and grace to a client that asks.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated when a session was refused a key for longer than lease and grace within one undisturbed
// window. In such a window, the key is certainly free (free_intervals.h), and no disturbance delays
// the session's client (excuses.h):
//
//   c1:  A-a==R-r        >             violated: nobody has held the key since `r`
//   c2:                     A-x
//
// - On one node, one refusal is enough if it reports that the key is taken: of a built-in lock, or
//   of a library with a retry hint. Without a hint, a library may not have asked its server.
// - Otherwise the session must have retried for that long, with gaps of at most a lease. On several
//   nodes, two clients that each lock a part of the nodes refuse each other a free key:
//
//   c1:  A-x A-x A-x  >  A-x           violated, on three nodes, twice
//   c2:  A-x A-x A-x  >  A-x
//
// A new window begins at the end of
// - each fault, except faults on lock servers alone that leave a majority of them;
// - each stall longer than half the grace, of the client or on its request path; on several nodes
//   or with a queue, also of another client.
// No window begins after these, whose effects may last:
// - a fault that moved a clock or lost data, or that killed too many servers for a majority;
// - any fault, if leases may have no end;
// - any fault that did more than stop or slow clients, if there may be a queue: in `redisson-fair`,
//   and in any library on one node.
// Time in which the client was blocked is subtracted.
//
// Within a window, a refusal is unknown in these cases:
// - On one node, another session may be ahead in a queue: it acquired the key after its last grant.
//   But if all such sessions retry for that long too, one of them must be granted the key.
// - On several nodes, a slow refusal may have missed answers of nodes. It also ends the series of
//   retries. A series that is long enough only together with such a refusal is unknown.
// - A driver with an unanswered call refuses further calls without asking the lock.
// - A long call may have asked the lock only once.
//
// A grant answered later than lease and grace, without a late refusal before it, is unknown too:
// the lock may have granted the key in time. The grant is not doubted if another acquire, invoked
// meanwhile, may have been granted the key first.
//
// Counts one violation for each session and free interval. The margin is the least time left of
// lease and grace, or the longest time beyond. Unknown where no case was judged. Unknown too where
// late grants under disturbances, and unanswered acquires without a fault, outnumber the judged
// cases.
ClaimVerdict CheckAvailability(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
