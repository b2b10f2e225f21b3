// What a timeline waits for exists. Whether it comes is for the run to see: a fault that never took
// effect leaves the verdict unknown.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The steps that clients of this run announce, given its lock and its workload; in the order of
// Step.
std::vector<Step> StepsOf(const Plan& plan);

// Of one fault: clients of this run announce its steps. Its lock and its workload are known.
Result<void> CheckSteps(const Plan& plan, const FaultPlan& fault);

struct FaultRefusal {
  size_t index = 0;  // of the fault in the plan
  std::string message;
  std::string setting;  // of it, that is to blame
};

// The first fault that names another that does not exist. Names are unique.
std::optional<FaultRefusal> FindUnknownFault(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_
