// Why a hold outlived its lease.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_

#include "checker/explain/cause.h"

namespace doublehold {

// `hold` was not live at `at_ns`, and did harm until `until_ns`. What held it up is to blame when
// without that it would have been done in time:
//
//   c1:  A-a==(stopped....!..)===R      8 late at R, stopped for 11: in time without
//   c1:  A-a==(.)=========!======R      stopped for 2, and 7 late: late anyway, overran
//
// So is what made it late for the most part, when the lease ended meanwhile.
// A message that is held matters while its session waits for the answer. Several that only together
// explain it leave the cause untold.
Explanation WhyLate(const Particulars& record, const Hold& hold, int64_t at_ns, int64_t until_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_EXPIRED_HOLD_H_
