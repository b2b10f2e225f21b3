#include "lib/plan/plan_json.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/base/file_kind.h"
#include "lib/base/json_fields.h"
#include "lib/base/json_object.h"
#include "lib/plan/plan_fields.h"

namespace doublehold {

using nlohmann::json;

json ToJson(const Plan& plan) { return json(WriteField(plan)); }

Result<Plan> PlanFromJson(const json& from, std::string_view name) {
  JsonDocument document(from);
  JsonObject object(document);
  Plan plan;
  ForEachField(plan, FieldReader{object});
  object.RejectUnknown();
  if (!document.ok()) return BadInput(fmt::format("{}: {}", name, document.error()));
  return plan;
}

Result<Plan> ReadPlanFile(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code))
    return BadInput(fmt::format("{}: is a folder; name a plan.json", file.string()));
  if (const std::string why = WhyNotReadable(file, Pipes::kAccept); !why.empty())
    return BadInput(fmt::format("{}: {}", file.string(), why));
  std::ifstream in(file, std::ios::binary);
  json parsed = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded())
    return BadInput(fmt::format("{}: not JSON, or cut off", file.string()));
  return PlanFromJson(parsed, file.string());
}

}  // namespace doublehold
