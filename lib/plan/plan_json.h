// Writes and reads plan.json, the file form of a Plan. Reading refuses missing, unknown and
// mistyped fields.
#ifndef DOUBLEHOLD_LIB_PLAN_PLAN_JSON_H_
#define DOUBLEHOLD_LIB_PLAN_PLAN_JSON_H_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

nlohmann::json ToJson(const Plan& plan);
Result<Plan> PlanFromJson(const nlohmann::json& json, std::string_view name);
Result<Plan> ReadPlanFile(const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_PLAN_PLAN_JSON_H_
