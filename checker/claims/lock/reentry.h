// The claim `reentry`: of nested entries of one owner only the last exit frees the lock, and it
// does.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A nested exit freed the lock: others were refused before it, and the first that asked after it
// was granted the key, while the outer hold's lease ran:
//
//   c1:  A-a==A-a==R-r=======R-r
//   c2:       A-x       A-a==R-r
//
// What it needs, and why: an answer `x` before it, or the lock may let everybody in anyway; no
// grant to another before it within the outer hold, or the lock had been lost already; no clock
// that was moved and no node that lost data; no call of its own of unknown outcome, since a release
// that comes late, or undoes what was never done, undoes another entry of its owner; and no release
// of another's that did not look whose lock it freed, or is not answered. Readers let in beside a
// reader are none.
//
// One that had asked before that exit and was granted the key after it says nothing of either:
// unknown. After how many inner exits others were refused is told: after the rest nobody looked.
//
// The last exit did not free it: somebody was told that the key is taken, and for how long, when it
// was certainly free:
//
//   c1:  A-a==R-r                 the gap: from the return of the release of every hold there was,
//   c2:            A-x  A-a==R-r  to the next call that may have been granted the key
//
// Nothing whose fate is unknown may have been in the way: an acquire of unknown outcome, unless its
// own release was answered; a hold that was never released or whose release is not answered, unless
// another was granted the key since; a node that lost data and may have found it again. And nobody
// may have stood before it in a queue, for a fair lock refuses a free key to all but the first:
//
//   c1:  A-a======R-r
//   c2:     A-x           A-a==   c3 is refused a free key, and rightly: it is c2's turn.
//   c3:       A-x    A-x
//
// And a copy of an acquire may have taken it, for a lease, whatever the other copy was answered,
// where a fault kept its messages; or lost them, and it was not granted: a library may have sent it
// again.
//
//   c1:    A----?R-r   A-x        the `r` freed what the first copy took, and the second took it
//   hold:  [---]
//
// So whoever was refused must have been the only one that had asked since it was last granted the
// key. Where there were more, and the key stayed out of reach for a lease or longer, the claim is
// unknown. On several nodes a refusal proves nothing: another may hold a minority for a moment.
ClaimVerdict CheckReentry(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_
