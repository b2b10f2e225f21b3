#include <fmt/format.h>

#include "faults/fault.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

std::string NameStep(const Trigger& trigger) {
  const std::string which = trigger.nth == 1 ? "" : fmt::format("the {} ", Ordinal(trigger.nth));
  return fmt::format("{}{}", which, Name(trigger.step));
}

std::string NameReach(const Trigger& trigger) {
  const std::string who =
      trigger.client == 0 ? "a client" : fmt::format("client {}", trigger.client);
  return fmt::format("{} reaches {}", who, NameStep(trigger));
}

// Whether the fault acts on the client whose step starts it.
bool HitsItself(const FaultPlan& plan) {
  return plan.on && (plan.client ? *plan.client == plan.on->client : plan.nodes.empty());
}

}  // namespace

std::string AwaitedEnd(const FaultPlan& plan) {
  if (plan.until) return NameReach(*plan.until);
  if (!plan.until_fault) return "";
  return fmt::format("'{}' {}", plan.until_fault->fault,
                     plan.until_fault->ended ? "ends" : "begins");
}

std::string Describe(const FaultPlan& plan) {
  const FaultEntry* entry = FindFault(plan.kind);
  std::string text = entry != nullptr ? entry->what(plan) : plan.kind;
  if (!plan.on) text += fmt::format(" at {}", FormatDuration(plan.from));
  if (HitsItself(plan)) text += fmt::format(" at {}", NameStep(*plan.on));
  if (plan.length > Duration{}) {
    text += fmt::format(" for {}", FormatDuration(plan.length));
    if (entry != nullptr && entry->length_is_of_frames && plan.count > 1) text += " each";
  }
  if (plan.on && !HitsItself(plan)) text += fmt::format(" when {}", NameReach(*plan.on));
  if (const std::string end = AwaitedEnd(plan); !end.empty()) text += " until " + end;
  if (!plan.during.empty()) text += fmt::format(" during '{}'", plan.during);
  return text;
}

}  // namespace doublehold
