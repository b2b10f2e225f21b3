// Renders the drawing of a violation for a terminal: a lane for each session, a lane for each
// fault, and times below. The marks have the meanings of ascii_history.h. Columns are in time
// order, but their distances are not to scale.
//
//   client 1      A-a=====r=====!========W-w=R-x
//   client 2                       A-a=R-r
//   pause c1                [----------]
//                 0.101         0.503  0.904 s
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_ASCII_TIMELINE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_ASCII_TIMELINE_H_

#include <string>

#include "checker/verdict/drawing.h"

namespace doublehold {

// Returns one line for each lane, and one line for the times. Each line ends with a line break.
// Returns "" if the drawing has no lanes.
std::string ToAscii(const ViolationDrawing& drawing);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_ASCII_TIMELINE_H_
