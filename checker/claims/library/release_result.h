// The claim `release-result`: a release reports truly whether its lock was lost.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A release of a certainly lost lock (lost_locks.h) must not report success. Else its caller does
// not learn that its work under the lock was unprotected:
//
//   c1:  A-a===!===========R-r        violated: the release of a lost lock must report `x`
//   c2:           A-a==R-r
//
// A lock is also lost without another client (false_answers.h): its lease is over, or it was freed
// before. And a release of a lock that was there must not report a loss:
//
//   c1:  A-a=======R-x        !       violated: its lease ran, and nobody else was granted the key
//
// Either this answer is false, or the lease was not kept.
//
// Not judged here: a release that does not check the owner (`unchecked`; see the claim `release`),
// a release without an answer, and an inner exit, which frees nothing.
//
// Unknown where no lock was lost: then no release had to report it.
ClaimVerdict CheckReleaseResult(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_
