// The claim `told`: who releases a lock that is lost is told so.
#ifndef DOUBLEHOLD_CHECKER_TOLD_H_
#define DOUBLEHOLD_CHECKER_TOLD_H_

#include "checker/checker.h"
#include "checker/evidence.h"

namespace doublehold {

// If a release of a lock that was certainly lost before (lost_locks.h) says that it freed the holder's own lock, its caller is not
// told that what it did under the lock was unprotected:
//
//   c1:  A-a===!===========R-r        violated: a release of a lock that is lost says `x`
//   c2:           A-a==R-r
//
// One that frees without looking (`unchecked`) says nothing about whose lock it was: that is the claim `release`. A release
// that is not answered says nothing either, nor does a second one of the same hold, or an inner exit, which frees nothing.
//
// Unknown where no lock was lost so: then nobody had anything to be told.
ClaimVerdict CheckTold(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TOLD_H_
