// The claim `call-timeout`: a library answers each call within its own timeout and grace.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Of the calls of a library behind a driver: an acquire has the time-out that it is asked with, a
// release and an extension a lease. A call that was answered later or never is recorded
// (`late-reply`): how long it took, from when it was sent to when its answer came, both by the same
// clock, which no fault moves. Shown here as the test draws it, s: it is answered, z: never.
//
//   c1:  A-------?R---s--r     its time-out is over long before the s: violated
//   c1:  A-----?  A-xA-x  z    never, as long as it was waited for
//
// When it was sent is known to lie after its call, and its answer came before it was recorded;
// when, is not: a session asks for one thing after the other, and sees what came meanwhile when it
// asks again. So whatever kept the client from running between its call (of a hold that nobody
// asked to release, its acquire; of one that is not in the history, the start) and that record may
// have been within those: for how long it was stopped by a fault, or kept at its work, or stalled
// by the machine, or the machine stalled a server of locks or the supervisor, is taken off. What
// was killed meanwhile is not counted, nor what its client was killed after without having heard of
// it:
//
//   c1:  A-----?  A-x             answered after the `?`, or never: a killed client records nothing more
//   crash c1:         []
//
// A fault on messages or nodes is no excuse, nor is a moved clock: that is what the time-out is
// for. It is named.
//
// Unknown where no library was asked, where nothing was answered; and where none was certainly
// late, but one only by what was taken off, or by the end of the run.
ClaimVerdict CheckCallTimeout(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_
