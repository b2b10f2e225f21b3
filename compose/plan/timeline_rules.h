// Checks that the steps and faults for which a timeline waits exist. Only the run shows whether
// they happen. A fault that did not act makes the verdict unknown.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_

#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Returns the steps that clients of this run announce, in the order of Step.
std::vector<Step> ListAnnouncedSteps(const Plan& plan);

// Checks that clients of this run announce the fault's steps. Requires that the plan's lock and
// workload are registered.
Result<void> CheckSteps(const Plan& plan, const FaultPlan& fault);

// Checks that the faults to which `fault` refers exist. Requires that names are unique.
Result<void> CheckReferences(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_
