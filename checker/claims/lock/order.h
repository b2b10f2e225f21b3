// The claim `order`: whoever queued first is granted the lock first.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A client stands in the queue for certain from the answer that told it for how long the key is
// taken. It was overtaken by one that had not even asked then, and was granted the key before the
// first one asked for the last time:
//
//   c1:  Q-A-x------------A-a===    queued at `x`
//   c2:  ..==R-r                    violated: c3 asked after that, and was granted the key before
//   c3:         Q-A-a==R-r          c1 asked again
//
//   c1:  Q-A---x----------A-a===    nothing: c3's question may have been the first to arrive
//   c3:      Q-A-a==R-r
//
//   c1:  Q-A-x--A----------a===     nothing: c1 may have been granted it first and heard it last
//   c3:           Q-A-a==R-r
//
// Only a client that is still there keeps its place. So it must have asked again, in the same wait,
// after the other was granted the key; an answer of unknown outcome, a fault on its messages or its
// process, a stall of the machine may each have cost it its place, and end what is certain. What
// gave up and was not answered (a release of unknown outcome, of no hold) may be taken out of the
// queue at any time after: no place of it is certain. What began to wait earlier and gave up may
// have been left in the queue: a client counts as having asked when it first did after its last
// grant, or after the first of unknown outcome, which may have been delivered at any time since.
// For the same reason no place is certain that is taken after such a one: it may be granted the key
// when nobody waits for that any more, and the place be gone.
//
// One that is let in again, or may be since its last release was perhaps not carried out, overtakes
// nobody, nor does a reader. An overtaking grant counts once, however many it overtook; the one
// that still had to wait longest is named.
ClaimVerdict CheckOrder(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_
