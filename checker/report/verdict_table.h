// The parts that the long and the short text of a verdict share.
#ifndef DOUBLEHOLD_CHECKER_REPORT_VERDICT_TABLE_H_
#define DOUBLEHOLD_CHECKER_REPORT_VERDICT_TABLE_H_

#include <cstddef>
#include <string>

#include "checker/judge.h"
#include "checker/verdict/margin.h"

namespace doublehold {

// The verdict line, the experiment, the library that was judged, and a table of the claims. Rates
// are by trial (trials.h). Violations of holds, orders, ... cluster, so the table gives them as a
// share without an interval.
std::string HeadText(const RunVerdict& verdict);

// Formats one step of a violation as a numbered line. `index` counts from 0.
std::string StepLine(const Violation& violation, size_t index);

// "shortest gap between two holds: 3.2 ms"
std::string MarginText(const Margin& margin);

// Formats the number and share of lost updates. If the store refused stale writes, a second line
// has their number. Empty if both numbers are 0.
std::string LostUpdatesText(const RunVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_REPORT_VERDICT_TABLE_H_
