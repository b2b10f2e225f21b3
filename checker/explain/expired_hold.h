// Why a hold outlived its lease.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_

#include "checker/explain/cause.h"

namespace doublehold {

// `hold` was not live at `at_ns`, and did harm until `until_ns`. A fault is to blame if without it
// the hold would have ended in time:
//
//   c1:  A-a==(stopped....!..)===R      8 late at R, stopped for 11: in time without
//   c1:  A-a==(.)=========!======R      stopped for 2, and 7 late: late anyway, overran
//
// A fault is to blame, too, if it caused most of the lateness and the lease ended meanwhile.
// A delayed message matters while its session waits for the answer. If only several causes together
// explain the lateness, the cause is `unexplained`.
Explanation WhyLate(const ViolationContext& record, const Hold& hold, int64_t at_ns,
                    int64_t until_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_
