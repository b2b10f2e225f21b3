// The story of a violation in sentences, and the picture of it: all that Judge adds to what the
// checkers saw.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_

#include <vector>

#include "checker/explain/cause.h"

namespace doublehold {

// What happened to the holds of a violation, in time order, each a sentence in the past tense; with
// the faults and the calls of others that explain it. At most kMostSteps: of what a holder read and
// wrote only the last.
constexpr size_t kMostSteps = 14;
std::vector<StoryStep> Narrate(const Particulars& record, const Violation& violation,
                               const Explanation& why);

// Cause, story and picture of every violation that is told.
void ExplainViolations(const Particulars& record, ClaimVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_
