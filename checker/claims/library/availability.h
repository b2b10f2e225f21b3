// The claim `availability`: a free lock is granted within lease and grace to a client that asks.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated when a client was refused a key that had certainly been free (free_intervals.h) for
// longer than lease and grace:
//
//   c1:  A-a==R-r        >             violated: since `r` nobody has it, and no fault may linger
//   c2:                     A-x
//
// One refusal is enough if it says that the key is taken. That is so on one node, for a built-in
// lock and for a library that returns a retry hint. A library without a hint may have had no time
// to ask. On several nodes, one may have answered too late, or two clients may each have got a
// part. Then a client must have retried for that long, with gaps of at most a lease. Two that
// refuse each other for so long are each refused a free key:
//
//   c1:  A-x A-x A-x  >  A-x           violated, on three nodes, twice
//   c2:  A-x A-x A-x  >  A-x
//
// The time starts again at the end of each fault, except of a fault on a minority of several nodes
// and on no client. It also starts again at the end of each stall longer than half the grace, of
// the client or on its request path. Time in which the client was blocked does not count. Four
// doubts leave a refusal unknown:
// - A fault may leave something behind: one that moved a clock or lost data; any fault, if the end
//   of a lease is unknown; any fault except a pause of clients, if there may be a queue. A queue is
//   possible in `redisson-fair`, and in any library on one node. A delayed or repeated request may
//   have a place in it for long.
// - On several nodes, a slow refusal may have waited for answers that came too late; then earlier
//   refusals do not count.
// - On one node, another client may be ahead in a queue: any that acquired since its last grant.
// - A driver with an unanswered call does not ask the lock until that call is answered.
//
// It is unknown how often a long call tried. If one long call (on several nodes, a series of them)
// was refused all the time, the claim is unknown:
//
//   c1:  A-a==R-r
//   c2:           A---- > ----xA---- > ----x
//
// But if every client that may be ahead retries all the time too, one of them must be granted the
// key, in any order. If none is:
//
//   c1:  A-a==R-r   A-x A-x A-x >  A-x        violated, on one node: the queue is stuck
//   c2:      A-x  A-x A-x A-x   >    A-x
//
// A grant later than lease and grace, without a late refusal before it, is unknown as well: it may
// have been made in time. This does not apply if another client that acquired meanwhile may have
// been granted the key first.
//
// Counts once for each client and free interval. Unknown where no free key was granted. Also
// unknown where the late grants under disturbances and the unanswered calls outnumber the grants in
// time.
ClaimVerdict CheckAvailability(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
