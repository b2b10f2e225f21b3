// The claim `reentry`: when an owner has entered a lock several times, its last exit, and no
// earlier exit, frees the lock.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated when a nested exit freed the lock: another client was refused before the exit, and the
// next client to acquire was granted the key although the outer hold's lease still ran:
//
//   c1:  A-a==A-a==R-r=======R-r
//   c2:       A-x       A-a==R-r
//
// This violation needs all of these:
// - before the exit, a refusal `x` that shows that the key was taken (Disturbed::ShowsTakenKey):
//   without such a refusal, the lock may admit every client;
// - the lease of the outer hold ran without a gap, and so did those of the entries that the owner
//   left since: otherwise the lock did not count these entries together;
// - no grant to another client before the exit within the outer hold: such a grant shows that the
//   lock was already lost;
// - the owner must have had the lock from the exit to the grant, if the exit did not free it
//   (evidence/must_have.h), and no record was lost;
// - no release of unknown outcome by another client, which may have freed the lock instead.
//
// Two readers at once are no violation.
//
// Unknown if a client invoked its acquire before the exit and was granted the key after the exit,
// while the outer lease still ran. The exit need not be the cause of this grant.
//
// The verdict gives the number of tested exits. The test of a nested exit lasts until the outer
// hold ends, or until the owner enters again: if the exit had freed the lock, this entry would have
// taken the key anew. The exit is tested if, in this time, another client was refused or waited
// throughout, and only the outer hold can have kept this client from the key:
// - the refusal or the wait shows that the key was taken (evidence/disturbed.h);
// - only the owner can have had the key then (sole_holders.h).
// Unknown if no nested exit was tested.
//
// Also violated when the last exit did not free the lock: a client was refused, with a retry hint,
// while the key was certainly free:
//
//   c1:  A-a==R-r                 the gap: from the return of the last release of all holds
//   c2:            A-x  A-a==R-r  to the next acquire that may have been granted
//
// The key must be certainly free (evidence/possession.h). Unknown if it is free only if each hold
// without a known end ended as is likely.
//
// Unknown, however short the gap, if the refusal is right only because a node that lost data had
// returned with older data.
//
// A refusal is also right if another client is ahead in a queue: a fair lock refuses a free key to
// all clients but the first in its queue.
//
//   c1:  A-a======R-r
//   c2:     A-x           A-a==   c3's refusal is right: c2 is first in the queue.
//   c3:       A-x    A-x
//
// If the gap has a refusal of each client that waits, the first in the queue was refused too, or
// lost its place. So the claim is unknown. A lock on one node without a queue has no such excuse,
// if the history describes the lock.
//
// A second copy of an acquire may have taken the key (evidence/second_copies.h).
//
// So a violation requires that no other client may be ahead in a queue, and that no second copy is
// possible. Otherwise, the claim is unknown if the gap lasts for a lease or longer.
// Unknown as well if an exit reported a lost lock during the lease of its entry, and nothing but an
// earlier exit can have freed the lock:
//
//   c1:  A-a==A-a==R-r==R-x     !
//
// On several nodes a refusal proves nothing: another client may hold the key on a minority of nodes
// for a moment.
ClaimVerdict CheckReentry(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_REENTRY_H_
