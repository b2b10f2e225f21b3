// The claim `release-result`: a release reports truly whether its lock was lost.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// If a release of a lock that was certainly lost before (lost_locks.h) says that it freed the
// holder's own lock, its caller is not told that what it did under the lock was unprotected:
//
//   c1:  A-a===!===========R-r        violated: a release of a lock that is lost says `x`
//   c2:           A-a==R-r
//
// So it is where nobody else is involved (false_answers.h): a lease that is over, or a lock that
// was freed before, is lost as well. And a release that says so of a lock that was there is as
// false:
//
//   c1:  A-a=======R-x        !       violated: its lease ran, and nobody else was granted the key
//
// Either that answer is not true, or the promise of the lease was not.
//
// One that frees without looking (`unchecked`) says nothing about whose lock it was: that is the
// claim `release`. A release that is not answered says nothing either, nor does an inner exit,
// which frees nothing.
//
// Unknown where no lock was lost so: then nobody had anything to be told.
ClaimVerdict CheckReleaseResult(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_
