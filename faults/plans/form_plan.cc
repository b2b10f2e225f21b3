#include "faults/plans/form_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/fault.h"

namespace doublehold {

FaultPlan PlanOf(const FaultFormEntry& form, const FormExtent& extent) {
  FaultPlan plan{.name = std::string(form.name), .kind = std::string(form.kind)};
  const FaultEntry* kind = FindFault(form.kind);
  if (std::ranges::find(kind->keys, "direction") != kind->keys.end()) {
    if (form.site == FaultSite::kRequest) plan.direction = "request";
    if (form.site == FaultSite::kReply) plan.direction = "reply";
  }
  if (form.lasts) plan.length = extent.lasts;
  if (form.by_sign != 0) {
    plan.by = form.by_sign * extent.lasts;
    plan.length = extent.clock_length;
  }
  if (form.runs_fast) {
    plan.rate = kFastRate;
    plan.length = extent.clock_length;
  }
  if (!form.data.empty()) {
    plan.data = form.data;
    plan.length = extent.down;
  }
  return plan;
}

std::string KeysOf(const FaultFormEntry& form) {
  if (form.only_simulated) return "only simulated";
  const FaultPlan plan = PlanOf(form, {.lasts = 1s, .clock_length = 1s, .down = 1s});
  std::string keys = fmt::format("`kind = \"{}\"`", plan.kind);
  const auto add = [&keys](std::string_view text) { keys += fmt::format(", `{}`", text); };
  if (form.site == FaultSite::kClient) add("client");
  if (form.site == FaultSite::kNode || form.site == FaultSite::kMasters) add("nodes");
  if (!plan.direction.empty()) add(fmt::format("direction = \"{}\"", plan.direction));
  if (form.by_sign != 0) add(form.by_sign > 0 ? "by > 0" : "by < 0");
  if (form.runs_fast) add(fmt::format("rate = {}", kFastRate));
  if (!plan.data.empty()) add(fmt::format("data = \"{}\"", plan.data));
  return keys;
}

}  // namespace doublehold
