// The parts that the long and the short text of a verdict share.
#ifndef DOUBLEHOLD_CHECKER_REPORT_VERDICT_TABLE_H_
#define DOUBLEHOLD_CHECKER_REPORT_VERDICT_TABLE_H_

#include <cstddef>
#include <string>

#include "checker/judge.h"
#include "checker/verdict/margin.h"

namespace doublehold {

// The verdict line, the experiment, the library that was judged, and a table of the claims. Rates
// are by trial (trials.h). What was seen of holds, orders, ... is a share without an interval: its
// violations cluster.
std::string HeadText(const RunVerdict& verdict);

// A numbered line: step `index`, counted from 0, of a violation.
std::string StepLine(const Violation& violation, size_t index);

// "shortest gap between two holds: 3.2 ms"
std::string MarginText(const Margin& margin);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_REPORT_VERDICT_TABLE_H_
