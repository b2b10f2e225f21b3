// Explains why a hold outlived its lease.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_

#include "checker/explain/cause.h"

namespace doublehold {

// Explains why `hold`, which was not live at `at_ns`, did harm until `until_ns`. A fault is the
// cause if without the fault the hold would have ended in time:
//
//   c1:  A-a==(stopped....!..)===R      stopped for 15 ms, 7 ms late: in time without the pause
//   c1:  A-a==(.)=========!======R      stopped for 2 ms, 7 ms late: late anyway, `overran`
//
// A fault is also the cause if the fault caused most of the lateness, and the lease ended during
// that delay. A delayed message counts only while its session waits for the answer. If no cause
// alone explains the lateness, but several causes together do, the cause is `unexplained`.
Explanation ExplainLateHold(const ViolationContext& record, const Hold& hold, int64_t at_ns,
                            int64_t until_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_
