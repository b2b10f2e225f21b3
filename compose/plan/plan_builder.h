// From what the user asked for to a plan: names looked up in the registries, defaults filled in,
// everything that cannot be carried out refused before anything starts.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_PLAN_BUILDER_H_
#define DOUBLEHOLD_COMPOSE_PLAN_PLAN_BUILDER_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"
#include "lib/plan/settings.h"

namespace doublehold {

// How a plan learns what a driver is: by asking it, or otherwise.
using DriverMeeting = std::function<Result<DriverPlan>(
    const std::string& command, const std::map<std::string, std::string>& options)>;

// The whole settings of one experiment; every one of them must be known. BuildPlan(settings) of
// compose/driver/driver.h asks the driver.
Result<Plan> BuildPlan(Settings settings, const DriverMeeting& meet);

// What a plan from a file must fulfil to be run here: names that are registered, targets that
// exist.
Result<void> CheckPlan(const Plan& plan, const std::string& where);

// What the checkers are told of a plan.
RunFacts FactsOf(const Plan& plan);

// The names of a registry's rows.
template <typename Rows>
std::vector<std::string> NamesOf(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_PLAN_BUILDER_H_
