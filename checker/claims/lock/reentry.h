// The claim `reentry`: of the nested entries of one owner only the last exit frees the lock, and it
// does free it.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A nested exit freed the lock: others were refused before it, and the next client to acquire was
// granted the key although the outer hold's lease ran:
//
//   c1:  A-a==A-a==R-r=======R-r
//   c2:       A-x       A-a==R-r
//
// A violation needs all of these:
// - a refusal `x` before the exit, else the lock may admit everybody anyway;
// - no grant to another before the exit within the outer hold, else the lock was already lost;
// - no moved clock, and no node that lost data;
// - no own call of unknown outcome: a late release, or one that undoes an acquire that never took
//   effect, undoes another entry of its owner;
// - no release of another owner that did not check the owner, or that has no answer.
//
// Readers beside a reader are no violation.
//
// A client that invoked its acquire before the exit and was granted the key after it proves
// neither: unknown. The verdict says after how many inner exits others were refused; after the
// others nobody tried.
//
// The last exit did not free the lock: a client was refused, with a retry hint, when the key was
// certainly free:
//
//   c1:  A-a==R-r                 the gap: from the return of the last release of all holds
//   c2:            A-x  A-a==R-r  to the next acquire that may have been granted
//
// No call of unknown outcome may block the key:
// - an acquire of unknown outcome, unless its own release was answered;
// - a hold without an answered release, unless another owner was granted the key since;
// - a node that lost data and may have recovered it.
//
// And nobody may be ahead in a queue, since a fair lock refuses a free key to all but the first:
//
//   c1:  A-a======R-r
//   c2:     A-x           A-a==   c3 is refused a free key, and rightly: it is c2's turn.
//   c3:       A-x    A-x
//
// A second copy of an acquire may have taken the key for a lease, whatever the first copy returned.
// That is possible if a fault delayed its messages, or lost them and the acquire was not granted: a
// library may have retried it.
//
//   c1:    A----?R-r   A-x        the `r` freed what the first copy took, and the second took it
//   hold:  [---]
//
// So the refused client must have been the only one that acquired since its last grant. If there
// were others, and the key stayed unavailable for a lease or longer, the claim is unknown. On
// several nodes a refusal proves nothing: another client may hold a minority for a moment.
ClaimVerdict CheckReentry(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_
