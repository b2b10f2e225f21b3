// Describes a violation in sentences and a picture. All that Judge adds to the results of the
// checkers is here.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_

#include <vector>

#include "checker/explain/cause.h"

namespace doublehold {

// Returns the events of the violation's holds in time order, each a sentence in the past tense,
// with the faults and other clients' calls that explain it. At most kMostSteps; only the last reads
// and writes of a holder are included.
constexpr size_t kMostSteps = 14;
std::vector<StoryStep> Narrate(const ViolationContext& record, const Violation& violation,
                               const Explanation& why);

// Adds cause, steps and picture to every described violation.
void ExplainViolations(const ViolationContext& record, ClaimVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_
