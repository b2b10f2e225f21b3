// Explains why a lock was granted while another client's lease was valid.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_

#include <functional>
#include <optional>

#include "checker/explain/cause.h"

namespace doublehold {

// Explains why other owners were granted the key during the valid lease of `first`. Only events
// before the first such grant count, since after it the lock was already lost:
//
//   c1:   A-a================!=R-r     c1's lock is lost before |
//   n1:        [ its clock is moved ]        |
//   c2:                           A-a==R-r   not by this release, although it is another owner's
//   c3:                                   A-a===R-r
//
// A cause is an event that can have freed the lock before that grant:
// - another owner's unchecked release,
// - a fault that loses keys,
// - a clock that moved far enough.
//
// A release that the claim `release` proves to have freed the lock takes precedence. With
// majorities (redlock), a fault on a minority of the nodes is a cause as well, since any two
// majorities share a node.
//
// If both acquires were pending at the same time, either one may have been granted first. In this
// case, causes for both orders count.
//
//   c1:      A--------------a======R-r    was granted first; its reply was late
//   c2:        A----a==========R--r       took the key from c1: c2's clock is ahead
Explanation ExplainDoubleGrant(const ViolationContext& record, const Hold& first);

// Explains a command that ran twice. Finds an acquire or release of `key` that succeeded although a
// fault lost or repeated one of its messages. `session` must have invoked this call by `until_ns`.
// If `counts` is not empty, considers only calls for which `counts` is true. Returns nothing if
// there is no such call, or if the lock has several nodes.
std::optional<Explanation> ExplainRepeat(const ViolationContext& record, const SessionId& session,
                                         uint16_t key, int64_t until_ns,
                                         const std::function<bool(const Call&)>& counts = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_
