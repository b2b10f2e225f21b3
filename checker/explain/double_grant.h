// Why a lock was granted while another client's lease was valid.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_

#include <functional>
#include <optional>

#include "checker/explain/cause.h"

namespace doublehold {

// `first` is a hold during whose valid lease others were granted the key. Only causes before the
// first of those grants count; later clients found the lock already lost:
//
//   c1:   A-a================!=R-r     lost by here
//   n1:        [ its clock is moved ]        |
//   c2:                           A-a==R-r   not by this release, although it is another owner's
//   c3:                                   A-a===R-r
//
// A cause can have taken the lock away by then: another owner's unchecked release, a fault that
// loses keys, or a clock that moved far enough. A release that is proved by the claim `release`
// takes precedence. With majorities (redlock), a fault on a minority of the nodes is a cause as
// well, since any two majorities share a node.
//
// If one acquire was invoked before the other was answered, it is unknown which had the lock first.
// Then causes for either order count.
//
//   c1:      A--------------a======R-r    had it first: its reply came late
//   c2:        A----a==========R--r       took it from c1, with a clock that is ahead
Explanation WhyGrantedTwice(const ViolationContext& record, const Hold& first);

// Explains a command that ran twice: a call of a session by `until_ns` that was answered although a
// fault lost or repeated its message. Considers calls for which `counts` is true; an empty
// `counts`: all. For locks on one node only. Nothing: there was no such call.
std::optional<Explanation> WhyRanTwice(const ViolationContext& record, const SessionId& session,
                                       uint16_t key, int64_t until_ns,
                                       const std::function<bool(const Call&)>& counts = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_
