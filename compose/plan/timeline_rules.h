// Checks that the steps and faults that a timeline waits for exist. Only the run shows whether they
// happen: a fault that did not take effect makes the verdict unknown.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_

#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The steps that clients of this run announce with its lock and workload, in the order of Step.
std::vector<Step> StepsOf(const Plan& plan);

// Checks that clients of this run announce the fault's steps. Requires that its lock and workload
// are registered.
Result<void> CheckSteps(const Plan& plan, const FaultPlan& fault);

// Checks that the faults to which the fault refers exist. Requires that names are unique.
Result<void> CheckReferences(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_
