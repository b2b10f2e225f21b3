// How many executions an exhaustive search would run, found out by running few: Knuth's estimate of
// the size of a tree (Estimating the efficiency of backtrack programs, 1975). A probe goes down
// from the plain execution, one deviation more at a time, each drawn from all that may come next;
// where it comes by, there are as many executions as the product of what it could have drawn. The
// mean of many probes is right on average. Here the first deviations are not drawn but spread over
// all there are, and where these are not more than the probes, each is taken once: then what is
// said of two deviations is exact.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_

#include "compose/explore/explore.h"

namespace doublehold {

// With the bounds' depth and delays; their budget says nothing. Deterministic.
double EstimateExecutions(const Scenario& scenario, const Bounds& bounds);

// Nothing when they are within the bounds' budget; else one line, with what could be changed. By
// how much an estimate may be wrong is left to the search, which ends at its budget.
Result<void> CheckBudget(const Scenario& scenario, const Bounds& bounds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_ESTIMATE_H_
