// Why a lock was granted while the lease of another client was valid.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_

#include <functional>
#include <optional>

#include "checker/explain/cause.h"

namespace doublehold {

// Of a hold that others were granted beside, its lease being valid. Only what lies before the first
// of them counts; whoever came after found the lock lost already:
//
//   c1:   A-a================!=R-r     lost by here
//   n1:        [ its clock is moved ]        |
//   c2:                           A-a==R-r   and not by this release, though it is another's
//   c3:                                   A-a===R-r
//
// An explanation is one that can have taken the lock away by then: a release of another that frees
// unseen, a fault that loses keys, a clock that was moved far enough. Where there is one, it is the
// cause; a release that proves it goes before all others. In a lock of majorities (redlock) nodes
// that are fewer than a majority explain it as well, since two majorities always have one in
// common.
//
// Which of two had the lock first is not known when one was asked for before the other was
// answered: what explains it in either order does then.
//
//   c1:      A--------------a======R-r    had it first: its reply came late
//   c2:        A----a==========R--r       took it from c1, by a clock that is ahead
Explanation WhyGrantedTwice(const Particulars& record, const Hold& first);

// A call of a session by `until_ns` that was answered although a message of it was lost, or sent
// twice: its command ran twice. Of those for which `counts` is true; empty: of all. Of locks on one
// node; nothing: there was none.
std::optional<Explanation> WhyRanTwice(const Particulars& record, const SessionId& session,
                                       uint16_t key, int64_t until_ns,
                                       const std::function<bool(const Call&)>& counts = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_DOUBLE_GRANT_H_
