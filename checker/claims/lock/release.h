// The claim `release`: no release frees a lock that another owner holds.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A release that did not check the owner (`unchecked`) freed the key at an instant between its
// invocation and its return. On one node, the release freed the lock that was granted last before
// that instant. If none of the releasing owner's grants can have been the last, the freed lock was
// certainly another owner's:
//
//   c1:  A-a===!========R-r           c1 had been granted the key before c2 acquired. So c2's grant
//   c2:          A-a==========R-x     proves that c1's lock was gone: c1 freed c2's lock.
//
// These histories look similar and prove nothing:
//
//   c1:     A--------a==R-r           c1 may have been granted the key after c2, whose key was
//   c2:  A----a=============R-x       lost: c1 freed its own lock.
//
//   c1:  A-a==!R----------r           c1 may have freed its own lock and been answered late.
//   c2:           A-a=====R-x
//
//   c1:  A-? A-a===!========R-r       c1's first acquire may have been delivered after c2's
//   c2:               A-a===!==R-x    lease: c1 freed its own lock unknowingly.
//
//   c1:  A-a===!========R-r           c2's own release was pending: c2 may no longer have held
//   c2:          A-a===R---x          the key when c1 freed it.
//
// A library that does not check the owner may report success although there was no key. So, for a
// library, the other owner's lease must still have run at the return, and no fault may have removed
// its key.
//
// A release proves nothing if a second copy of an own acquire may have held the key, or if a
// library that can re-enter may only have left a nested entry.
//
// A release of c1 proves nothing if it was answered at the instant at which c2 invoked its own
// release.
//
// A violation requires that every grant that can have been the last was another owner's, and that
// this owner held the key beyond the return. On several nodes the claim is at most unknown, since
// some nodes may have had c1's lock and others c2's. The claim is also unknown if a node lost data.
//
// A library without `blind-release` and `silent-release` claims to check the owner. If such a
// library reports success for a lock that was lost to another owner, the release may have freed the
// lock of a third client. On several nodes, the loss must be certain (the claim `release-result`),
// because some nodes may have kept the lock:
//
//   c1:  A-a==!=============R-r       unknown: c3 held the key when c1 released a lock lost to c2
//   c2:           A-a==R-r
//   c3:                   A-a====R-x
//
// If c3's key may have been gone by then, the report proves nothing: some libraries report success
// if there was no key.
//
// Unknown when a release may, but need not, have freed another owner's lock:
// - a release after its lease, during another owner's hold;
// - an unanswered release that does not check the owner;
// - a successful release that ended after its lease, during a hold whose lock was gone early;
// - a release with an innocent explanation, as in the histories above.
//
// A release within its lease that overlaps the next acquire is an ordinary hand-over and leaves no
// doubt.
ClaimVerdict CheckRelease(const Evidence& evidence, const Limits& limits);
// CheckerEntry::past_fault_matters of the claim.
bool MattersToRelease(const RunFacts& facts, const FaultFact& fault, bool on_servers);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_
