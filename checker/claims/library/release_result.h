// The claim `release-result`: a release reports truly whether its lock was lost.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A release of a certainly lost lock (lost_locks.h) must not report success. Otherwise the caller
// does not learn that its work under the lock was unprotected:
//
//   c1:  A-a===!===========R-r        violated: the release of a lost lock must report `x`
//   c2:           A-a==R-r
//
// A lock is also lost if its lease ended, or if it was already freed (false_answers.h). A release
// of a lock that is still held must not report a loss:
//
//   c1:  A-a=======R-x        !       violated: the lease was valid, and no other client held it
//
// Either this answer is false, or the service broke the lease.
//
// Not judged: a release that does not check the owner (`unchecked`; see the claim `release`), an
// unanswered release, and a nested exit, which frees nothing.
//
// If no lock was certainly lost, only the releases within their leases are judged. A later release
// that reports success is doubtful if another session was granted the key by its answer.
ClaimVerdict CheckReleaseResult(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_RELEASE_RESULT_H_
