// The claim `call-timeout`: a library answers each call within the call's timeout and grace.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Applies to a library behind a driver. The timeout of an acquire is its argument; the timeout of a
// release and of an extension is a lease. A call that was answered after its timeout, or never, has
// a record (`late-reply`). The record contains the time from request to answer, by one clock that
// no fault moves. In the drawings, `s` is a late answer, and `z` reports that there is still no
// answer.
//
//   c1:  A-------?R---s--r     violated: the timeout of A ended long before the `s`
//   c1:  A-----?  A-xA-x  z    violated: A was still unanswered when its session ended
//
// The request was sent at some time after the invocation of its call. The answer arrived at some
// time before the record, because a session notices a late answer only at its next call. So all
// time that blocked the client between the invocation and the record is subtracted:
// - a fault that stopped the client or prolonged its section;
// - a stall of the client, of a lock server, or of the supervisor.
//
// For a release that no session invoked, blocked time is subtracted from the acquire on. If the
// history has no such acquire, blocked time is subtracted from the start of the run on. A late call
// is no violation if its client was killed during the call. A call is not counted if its client was
// killed before it could record the answer:
//
//   c1:  A-----?  A-x             answered after the `?`, or never: a dead client records nothing
//   crash c1:         []
//
// Timeouts exist for faults on messages and nodes, and for moved clocks. So such faults excuse no
// late call. The verdict names them.
//
// Unknown for a built-in lock, and if no call was sent. Also unknown if no call was certainly late
// and one of these is true:
// - a call was late only because of the subtracted time;
// - a call was unanswered when its session ended, but not for longer than its timeout and grace;
// - records were lost.
ClaimVerdict CheckCallTimeout(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_CALL_TIMEOUT_H_
