// Explains a double grant by the traits of the lock: each server grants it by itself, a pooler
// lends its session, or its client ignores the end of its lease.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_

#include "checker/explain/cause.h"

namespace doublehold {

// `lost`: the first grant to another owner during the lease of `first`. Requires that no recorded
// event took the lock away.
Explanation ExplainByNature(const ViolationContext& record, const Hold& first, const Hold& lost);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_
