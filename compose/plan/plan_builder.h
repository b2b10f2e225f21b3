// Builds a plan from settings: looks names up in the registries, sets defaults, and refuses
// everything that cannot run before anything starts.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_PLAN_BUILDER_H_
#define DOUBLEHOLD_COMPOSE_PLAN_PLAN_BUILDER_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"
#include "lib/plan/settings.h"

namespace doublehold {

// Follows the name of a bundled driver whose library is taken from a folder: "redsync@path:../fix".
constexpr std::string_view kFromFolder = "@path:";
// Returns the version that the library reports, and the folder that it was taken from, if any.
inline std::string VersionText(const DriverPlan& driver) {
  const size_t folder = driver.command.find(kFromFolder);
  if (folder == std::string::npos) return driver.version;
  return driver.version + " from " + driver.command.substr(folder + kFromFolder.size());
}

// A function that supplies the driver's part of a plan, for example by querying the driver.
using QueryDriver = std::function<Result<DriverPlan>(
    const std::string& command, const std::map<std::string, std::string>& options)>;

// Builds a plan from all settings of one experiment. Unknown settings are errors.
// BuildPlan(settings) of compose/driver/driver.h queries the driver.
Result<Plan> BuildPlan(Settings settings, const QueryDriver& meet);

// Checks that a plan from a file can run here: its names are registered and its targets exist.
Result<void> CheckPlan(const Plan& plan, const std::string& where);

// Returns the facts of a plan that the checkers need.
RunFacts FactsOf(const Plan& plan);

// Returns the names of all rows of a registry.
template <typename Rows>
std::vector<std::string> ListNames(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_PLAN_BUILDER_H_
