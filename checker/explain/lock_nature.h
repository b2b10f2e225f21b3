// Explains a double grant by what the lock is: what it lasts as long as, who grants it, and what
// its client leaves out.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_

#include "checker/explain/cause.h"

namespace doublehold {

// Requires that `first` and a later hold of another owner, granted at `lost_ns`, were both valid,
// and that no recorded event took the lock away.
Explanation ExplainByNature(const ViolationContext& record, const Hold& first, int64_t lost_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_
