// The claim `call-timeout`: a library answers each call within its own timeout and grace.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Applies to a library behind a driver. An acquire has the timeout that it is called with; a
// release and an extension have a lease. A call that was answered later, or never, is recorded
// (`late-reply`). The record contains the time from sending to answer, by one clock that no fault
// moves. In the drawings, s: answered late, z: never answered.
//
//   c1:  A-------?R---s--r     its timeout is over long before the s: violated
//   c1:  A-----?  A-xA-x  z    not answered for as long as it was waited for
//
// A request was sent at some time after its call was invoked. Its answer came at some time before
// the record: a session notices late answers only when it calls again. So anything that blocked the
// client between the invocation and the record is subtracted:
// - a fault that stopped the client or kept it at its work;
// - a stall of the client, of a server that keeps locks, or of the supervisor.
//
// For a release that nobody invoked, the time starts with the acquire; without an acquire in the
// history, with the run. A call during which its client was killed does not count. A call does not
// count either if its client was killed before it recorded the answer:
//
//   c1:  A-----?  A-x             answered after the `?`, or never: a dead client records nothing
//   crash c1:         []
//
// A fault on messages or nodes is no excuse, nor is a moved clock: timeouts exist for these. The
// verdict names such a fault.
//
// Unknown for a built-in lock, and where no call was answered. Also unknown where no call was
// certainly late, but one was late before the subtraction, or at the end of the run.
ClaimVerdict CheckCallTimeout(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_
