// The claim `extend-result`: an extension reports truly whether its lock was lost.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXTEND_RESULT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXTEND_RESULT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Violated if an extension reports success while another owner must have the lock
// (evidence/must_have.h). Its caller then works on, although it has lost the lock:
//
//   c1:  A-a===!=====E-e===R-r
//   c2:          A-a=============R-r
//
// Also violated if an extension reports that the lock was lost, although its session must have it
// and nobody else can have been granted it. Its caller then gives up a lock that others cannot
// have:
//
//   c1:  A-a====E-x===!
//
// Either this answer is false, or the service broke the lease.
//
// Judged are the extensions that were answered while their session, or another, must have had the
// lock. A loss is judged only before the release of the entry, and within its lease: the session
// may have another entry. Unknown if success was reported while another owner may have had the
// lock, or may have lost it by a second copy of a release. Also unknown if a loss was reported that
// a delayed, lost or repeated message, another's unanswered acquire or a reader may explain.
ClaimVerdict CheckExtendResult(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXTEND_RESULT_H_
