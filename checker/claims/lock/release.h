// The claim `release`: no release frees a lock that another owner holds.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A release that did not look whose lock it was (`unchecked`) freed something at an instant between
// its call and its return, and of a lock on one node that was the lock granted last before. It was
// another's for certain when nobody else's can have been granted last:
//
//   c1:  A-a===!========R-r           When c2 was granted the key, c1's was gone, for c1 had been
//   c2:          A-a==========R-x     granted it before c2 even asked. So c1 freed c2's lock.
//
// Each of these looks alike and proves nothing:
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
// Of a lock behind a driver, one that did not look may say that it freed something and have found
// nothing there: the other's lease has to run on then, and nothing may have taken its key away.
//
// Nor does one that was answered at the very instant at which c2 called its own.
//
// And on several nodes some may have had the one's lock and some the other's. The rule is
// therefore: everything that can have been granted last was granted to another, who held it past
// the return. A node that came back with older data than it had speaks for nobody.
//
// Of a library that says that it looked (none of `blind-release` and `silent-release`), and yet
// that it freed its own lock when that was certainly another's (the claim `release-result`),
// nobody knows what it freed:
//
//   c1:  A-a==!=============R-r       unknown: c3 held the key when c1 released a lock that c2 had been granted
//   c2:           A-a==R-r
//   c3:                   A-a====R-x
//
// But where c3's key may have been gone by then, some libraries say that they freed what was not
// there.
//
// Unknown when a release may have done it and need not have: one after its lease that met another's
// hold, one that is not answered and did not look, one with two explanations as above. A release
// within its lease that merely overlaps somebody's next acquire is the ordinary hand-over.
ClaimVerdict CheckRelease(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_RELEASE_H_
