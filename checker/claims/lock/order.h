// The claim `order`: clients are granted the lock in the order in which they queued (FIFO).
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A client is certainly in the queue once it received a refusal with a retry hint. The claim is
// violated if another client first acquires after this refusal, and is granted the key before the
// queued client's last acquire:
//
//   c1:  Q-A-x------------A-a===    queued at `x`
//   c2:  ..==R-r                    violated: c3 acquired after `x`, and was granted the key
//   c3:         Q-A-a==R-r          before c1's last acquire
//
//   c1:  Q-A---x----------A-a===    no violation: c3's acquire may have arrived first
//   c3:      Q-A-a==R-r
//
//   c1:  Q-A-x--A----------a===     no violation: c1 may have been granted first
//   c3:           Q-A-a==R-r
//
// A client keeps its place only while it waits. So the overtaken client must acquire again, in the
// same wait, after the other client's grant. Its place is no longer certain
// - after an acquire of unknown outcome, which may be granted without a record at any later time;
// - after a fault or a stall that may have cost it (Disturbed::MayCostPlace); a moved clock, lost
//   keys and what happens to the store do not;
// - after it gave up without an answer (a release of hold 0, of unknown outcome). The pending
//   release may remove it from the queue at any later time.
//
// A client that waited earlier and gave up may still be in the queue. So a grant counts as
// requested at the first acquire of its session since the session's last grant. Once the session
// has an acquire of unknown outcome, later grants do not move this time: the unknown acquire may
// still be queued.
//
// These grants never count as overtaking:
// - a grant to a reader;
// - a re-entry;
// - a grant that may be a re-entry, because the client's last release may not have been carried
//   out;
// - a grant that may be a re-entry, because a second copy (evidence/second_copies.h) of an acquire
//   of the client may hold the key or wait for it.
//
// An overtaking grant counts once, however many clients it overtook. The verdict names the
// overtaken client whose place lasted longest.
ClaimVerdict CheckOrder(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_ORDER_H_
