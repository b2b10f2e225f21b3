// Draws a violation: derives its lanes, spans and marks from the history.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_DRAWING_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_DRAWING_H_

#include <string>

#include "checker/explain/cause.h"

namespace doublehold {

// The name of a session's lane is OwnerName; this is that of a fault's: "pause c1".
std::string LaneName(const ViolationContext& record, const FaultEpisode& episode);

// Draws the holds of the violation, and the calls and faults that explain it. At most kMostMarks in
// a lane; the latest marks are dropped.
constexpr size_t kMostMarks = 40;
ViolationDrawing DrawViolation(const ViolationContext& record, const Violation& violation,
                               const Explanation& why);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_VIOLATION_DRAWING_H_
