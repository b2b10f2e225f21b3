#include "compose/plan/timeline_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "lib/base/words.h"
#include "lib/locks/registry.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

Result<void> CheckAnnounced(const Plan& plan, const Trigger& trigger, const char* setting) {
  const std::vector<Step> steps = ListAnnouncedSteps(plan);
  if (std::ranges::find(steps, trigger.step) != steps.end()) return {};
  std::vector<std::string> names;
  for (const Step step : steps) names.emplace_back(Name(step));
  return BadInput(fmt::format("no client ever reaches {}: lock {} in workload {} has the steps {}",
                              Name(trigger.step), plan.lock, plan.workload, fmt::join(names, ", ")),
                  setting);
}

}  // namespace

std::vector<Step> ListAnnouncedSteps(const Plan& plan) {
  // Clients announce these steps with every lock and workload.
  std::vector<Step> steps{Step::kStart, Step::kAfterAcquire, Step::kBeforeRelease,
                          Step::kAfterRelease};
  for (const auto& some : {FindLock(plan.lock)->steps, FindWorkload(plan.workload)->steps}) {
    steps.insert(steps.end(), some.begin(), some.end());
  }
  std::ranges::sort(steps);
  return steps;
}

Result<void> CheckSteps(const Plan& plan, const FaultPlan& fault) {
  for (const auto& [trigger, setting] : {std::pair{fault.on, "on"}, {fault.until, "until"}}) {
    if (!trigger) continue;
    TRY(CheckAnnounced(plan, *trigger, setting));
  }
  return {};
}

Result<void> CheckReferences(const Plan& plan, const FaultPlan& fault) {
  std::vector<std::string> others;
  for (const FaultPlan& other : plan.faults) {
    if (other.name != fault.name) others.push_back(other.name);
  }
  std::ranges::sort(others);
  for (const auto& [named, setting] :
       {std::pair{fault.during, "during"},
        {fault.until_fault ? fault.until_fault->fault : std::string(), "until"}}) {
    if (named.empty() || std::ranges::find(others, named) != others.end()) continue;
    return BadInput(
        others.empty() ? fmt::format("fault '{}' does not exist: the run has no other fault", named)
                       : UnknownWord("fault", named, others),
        setting);
  }
  return {};
}

}  // namespace doublehold
