// What a timeline waits for: refused when it cannot come.
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

// Of one fault: its steps are announced by somebody, and not by one whom the fault itself keeps
// from them. Its lock and its workload are known.
Result<void> CheckSteps(const Plan& plan, const FaultPlan& fault);

struct FaultRefusal {
  size_t index = 0;  // of the fault in the plan
  std::string message;
  std::string setting;  // of it, that is to blame
};

// Of a whole timeline: the faults that are named exist, and none waits for itself, by however many
// others. The first that is wrong. Their names are unique.
std::optional<FaultRefusal> FindImpossibleWait(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_TIMELINE_RULES_H_
