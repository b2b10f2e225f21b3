// The claim `told`: who releases a lock that is lost is told so.
#ifndef DOUBLEHOLD_CHECKER_TOLD_H_
#define DOUBLEHOLD_CHECKER_TOLD_H_

#include "checker/checker.h"
#include "checker/evidence.h"

namespace doublehold {

// A lock is lost for certain when another was granted it meanwhile: asked for it after its holder had it, and was answered
// before the holder called its release. If that release says that it freed the holder's own lock, its caller is not told that
// what it did under the lock was unprotected:
//
//   c1:  A-a===!===========R-r        violated: a release of a lock that is lost says `x`
//   c2:           A-a==R-r
//
//   c1:  A-a===!===R---------r        nothing: c1's release may have come first
//   c2:           A-a=====R-r
//
//   c1:  A-a==!==========A-a=R-r R-r  nothing: c1 was let in again, and may have let itself out
//   c2:         A-a=R-r
//
//   c1:  A-a=A-a=R-r==!========R-r    violated: it was let in again before, and this is its last exit
//   c2:                   A-a=R-r
//
// One that frees without looking (`unchecked`) says nothing about whose lock it was: that is the claim `release`. A release
// that is not answered says nothing either, nor does a second one of the same hold. An earlier acquire of the same session of
// unknown outcome may have been granted the key since; and so may one that its library sent twice, where a fault kept
// messages back. Whose release was not answered may be let in by its own count, whoever has the key: that takes it from
// nobody. Where there are several nodes, or one came back with older data, both may have had the lock: nothing is certain.
//
// Unknown where no lock was lost so: then nobody had anything to be told.
ClaimVerdict CheckTold(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TOLD_H_
