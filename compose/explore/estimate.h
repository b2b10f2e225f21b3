// Estimates how many executions an exhaustive search would run, by running only a few. The method
// is Knuth's estimate of the size of a tree ("Estimating the efficiency of backtrack programs",
// 1975).
//
// A probe descends from the plain execution and adds one deviation at each level. It draws the
// deviation at random from all deviations that the search could add there. The product of the
// numbers of alternatives so far estimates the number of executions on that level. The mean over
// many probes is unbiased.
//
// The first deviation of a probe is not drawn: the probes are spread evenly over all first
// deviations. If there are no more first deviations than probes, each gets one probe. The number of
// executions with at most two deviations is then exact.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_

#include <limits>

#include "compose/explore/explore.h"

namespace doublehold {

// Uses the depth and delays of `bounds` and ignores its budget. Deterministic. In a scenario whose
// probes take long, stops as soon as the estimate is certain to exceed `enough`.
double EstimateExecutions(const Scenario& scenario, const Bounds& bounds,
                          double enough = std::numeric_limits<double>::infinity());

// Succeeds unless the estimate is far above the budget of `bounds`: estimates err, and the search
// itself ends at its budget. Without a budget (0), fails if no machine could run as many. The error
// is one line that suggests smaller bounds.
Result<void> CheckBudget(const Scenario& scenario, const Bounds& bounds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_
