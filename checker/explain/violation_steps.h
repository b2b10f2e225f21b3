// Explains violations: their causes, steps and drawings. Judge calls ExplainViolations after the
// checkers.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_

#include <vector>

#include "checker/explain/cause.h"

namespace doublehold {

// Describes a violation by steps in time order, each a sentence in the past tense. The steps are
// the events of the holds, the faults and the calls of other clients that explain the violation.
// Returns the first kMostSteps steps. Only the last uses of a hold are steps.
constexpr size_t kMostSteps = 14;
std::vector<StoryStep> Narrate(const ViolationContext& record, const Violation& violation,
                               const Explanation& why);

// Adds cause, steps and drawing to every described violation, and corrects its sentence. Renders
// the first drawing as the picture of the claim.
void ExplainViolations(const ViolationContext& record, ClaimVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_STEPS_H_
