// The claim `release`: no release frees a lock that another owner holds.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A release that did not check the owner (`unchecked`) freed the key at an instant between its
// invocation and its return. On one node it freed the lock that was granted last before. That lock
// was certainly another owner's when only another owner can have been granted last:
//
//   c1:  A-a===!========R-r           When c2 was granted the key, c1's was gone, for c1 had been
//   c2:          A-a==========R-x     granted it before c2 even asked. So c1 freed c2's lock.
//
// These look alike and prove nothing:
//
//   c1:     A--------a==R-r           c1 may have been granted the key after c2 was, whose key was
//   c2:  A----a=============R-x       lost: it freed its own.
//
//   c1:  A-a==!R----------r           It may have freed its own at once and been answered late.
//   c2:           A-a=====R-x
//
//   c1:  A-? A-a===!========R-r       The first A may have been delivered after c2's lease: c1
//   c2:               A-a===!==R-x    freed what it did not know to be its own.
//
//   c1:  A-a===!========R-r           c2 was at its own release, so it held the key no longer
//   c2:          A-a===R---x          when c1 freed it.
//
// A library that does not check the owner may report success although nothing was there. So the
// other's lease must still run then, and nothing may have removed its key.
//
// A release that was answered at the instant at which c2 invoked its own proves nothing either.
//
// On several nodes, some may have had c1's lock and some c2's. So the rule is: every grant that can
// have been last was another owner's, and that owner held the key past the return. A node that
// returned with older data proves nothing.
//
// A library without `blind-release` and `silent-release` claims to check the owner. If it reports
// success for a lock that was certainly another's (the claim `release-result`), it is unknown what
// it freed:
//
//   c1:  A-a==!=============R-r       unknown: c3 held the key when c1 released a lock lost to c2
//   c2:           A-a==R-r
//   c3:                   A-a====R-x
//
// The library is believed where c3's key may have been gone by then: some libraries report success
// if nothing was there.
//
// Unknown when a release may have freed another's lock and need not have:
// - a release after its lease that met another's hold;
// - an unanswered release that does not check the owner;
// - a release with two explanations as above.
//
// A release within its lease that overlaps the next acquire is the ordinary hand-over.
ClaimVerdict CheckRelease(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_
