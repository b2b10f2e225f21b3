// The claim `order`: clients are granted the lock in the order in which they queued (FIFO).
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A client is certainly in the queue from the refusal that returned a retry hint. It is overtaken
// by a client that had not yet acquired at that time, and that was granted the key before the first
// client's last acquire:
//
//   c1:  Q-A-x------------A-a===    queued at `x`
//   c2:  ..==R-r                    violated: c3 asked after that, and was granted the key before
//   c3:         Q-A-a==R-r          c1's last acquire
//
//   c1:  Q-A---x----------A-a===    nothing: c3's acquire may have arrived first
//   c3:      Q-A-a==R-r
//
//   c1:  Q-A-x--A----------a===     nothing: c1 may have been granted it first and answered last
//   c3:           Q-A-a==R-r
//
// Only a client that is still waiting keeps its place. So it must acquire again, in the same wait,
// after the other client's grant. Its place is no longer certain
// - after an acquire of unknown outcome, which may be granted unseen at any later time;
// - after a fault on its messages or its process, or a stall of the machine;
// - after it gave up without an answer (a release of unknown outcome, of no hold), which may remove
//   it from the queue at any later time.
//
// A client that waited earlier and gave up may still be in the queue. So a grant counts as
// requested at the first acquire of its session since its last grant. After an acquire of unknown
// outcome, which may be granted at any later time, that start stays.
//
// A client that re-enters, or may re-enter because its last release may not have been carried out,
// overtakes nobody; nor does a reader. An overtaking grant counts once, however many clients it
// overtook. The verdict names the one that had to wait longest.
ClaimVerdict CheckOrder(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_
