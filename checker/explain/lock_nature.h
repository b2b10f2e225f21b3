// Explains a double grant by the traits of the lock: it belongs to a connection, each server grants
// it by itself, a pooler lends its session, or its client ignores the end of its lease.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_

#include "checker/explain/cause.h"

namespace doublehold {

// Requires that `first` and a later hold of another owner, granted at `lost_ns` on the history's
// clock, were both valid, and that no recorded event took the lock away.
Explanation ExplainByNature(const ViolationContext& record, const Hold& first, int64_t lost_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_LOCK_NATURE_H_
