// Estimates how many executions an exhaustive search would run, by running only a few. The method
// is Knuth's estimate of the size of a tree ("Estimating the efficiency of backtrack programs",
// 1975).
//
// A probe descends from the plain execution and adds one deviation at each level. It draws the
// deviation at random from all deviations that the search could add there. The product of the
// numbers of alternatives on all levels so far estimates the number of executions on the current
// level. The mean over many probes is unbiased.
//
// The first deviation of a probe is not drawn: the probes are spread evenly over all first
// deviations. If there are at most as many first deviations as probes, each first deviation gets
// one probe. The number of executions with at most two deviations is then exact.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_

#include <limits>

#include "compose/explore/explore.h"

namespace doublehold {

// Uses the depth and delays of `bounds` and ignores its budget. Deterministic. In a scenario with
// many first deviations, stops as soon as the estimate is certain to exceed `enough`.
double EstimateExecutions(const Scenario& scenario, const Bounds& bounds,
                          double enough = std::numeric_limits<double>::infinity());

// Returns the estimated number of executions within `bounds`; for a random search, its budget
// (0: no budget). Fails if an exhaustive search would exceed the budget of `bounds` by more than a
// fifth. An estimate may be wrong, and the search itself ends at its budget. Without a budget (0),
// fails if no machine could run so many executions. The error is one line that suggests smaller
// bounds.
Result<double> EstimateWithinBudget(const Scenario& scenario, const Bounds& bounds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_
