// The claim `availability`: a free lock is granted within lease and grace to a client that asks.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A quiet window of a key is a time in which the key was certainly free (free_intervals.h), and no
// disturbance was in the client's way (excuses.h). Violated when within one quiet window a session
// was refused the key for longer than lease and grace:
//
//   c1:  A-a==R-r        >             violated: nobody has had it since `r`
//   c2:                     A-x
//
// - On one node, one refusal that says that the key is taken is enough: of a built-in lock, or of a
//   library that returns a retry hint. A library without a hint may have had no time to ask.
// - Otherwise the session must have retried all that time, with gaps of at most a lease. On several
//   nodes, two clients that each got a part refuse each other a free key:
//
//   c1:  A-x A-x A-x  >  A-x           violated, on three nodes, twice
//   c2:  A-x A-x A-x  >  A-x
//
// A window begins anew at the end of
// - each fault, except of a fault on a minority of several nodes and on no client;
// - each stall longer than half the grace, of the client or on its request path.
// It ends for good with a fault that may linger: one that moved a clock or lost data; any fault, if
// the end of a lease is unknown; any fault except a pause of clients, if there may be a queue (in
// `redisson-fair`, and in any library on one node). Time in which the client was blocked does not
// count.
//
// Within a window, these leave a refusal unknown:
// - On one node, another session may be ahead in a queue: any that acquired since its last grant.
//   But if each of these retries all that time too, one of them must be granted the key.
// - On several nodes, a slow refusal may have waited for answers that came too late. It also ends
//   the series of retries; a series that is long enough only with it is unknown.
// - A library's driver with an unanswered call does not ask the lock until that call is answered.
//   Nor is it known how often a long call tried.
//
// A grant later than lease and grace, without a late refusal before it, is unknown as well: it may
// have been made in time. This does not apply if another client that acquired meanwhile may have
// been granted the key first.
//
// Counts once for each client and free interval. The margin shows the longest time beyond lease and
// grace. Unknown where no free key was granted, and where the late grants under disturbances and
// the unanswered calls outnumber the grants in time.
ClaimVerdict CheckAvailability(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
