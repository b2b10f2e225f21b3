// Draws a violation: derives its lanes, spans and marks from the history.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_DRAWING_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_DRAWING_H_

#include <string>

#include "checker/explain/cause.h"

namespace doublehold {

// The name of a fault's lane: "pause c1". The name of a session's lane is its OwnerName.
std::string LaneName(const ViolationContext& record, const FaultEpisode& episode);

// Draws the holds of a violation, and the calls and faults that explain the violation. Keeps the
// first kMostMarks marks of a lane.
constexpr size_t kMostMarks = 40;
ViolationDrawing DrawViolation(const ViolationContext& record, const Violation& violation,
                               const Explanation& why);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_DRAWING_H_
