#include "compose/sweep/protocol_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr std::string_view kMark = "reached-";
constexpr Duration kMarkLength = 1ms;

std::optional<Step> StepMarkedBy(const Event& event, const RunFacts& facts) {
  if (event.op != Op::kFault || event.type != EventType::kInvoke) return std::nullopt;
  const std::string& name = facts.faults[static_cast<size_t>(event.value[0])].name;
  return name.starts_with(kMark) ? ParseStep(name.substr(kMark.size())) : std::nullopt;
}

}  // namespace

std::string Describe(const ProtocolPlace& place) {
  if (place.IsStep()) return std::string(Name(place.step));
  const std::string node =
      place.node == kStoreNode ? "the store" : fmt::format("node {}", place.node);
  const std::string which = place.nth == 1 ? "" : Ordinal(place.nth) + " ";
  return fmt::format("{}{} to {}", which, place.command, node);
}

Trigger StartOfSection(int section) {
  if (section == 1) return {.client = kFaultedClient, .step = Step::kStart};
  return {.client = kFaultedClient, .step = Step::kAfterRelease, .nth = section - 1};
}

std::vector<FaultPlan> StepMarks(int section) {
  std::vector<FaultPlan> marks;
  for (size_t i = 0; i < kStepNames.size(); ++i) {
    const Step step = static_cast<Step>(i);
    const Trigger on{.client = kFaultedClient, .step = step, .nth = section};
    marks.push_back({.name = fmt::format("{}{}", kMark, kStepNames[i]),
                     .kind = "slow",
                     .on = step == Step::kStart ? StartOfSection(section) : on,
                     .length = kMarkLength});
  }
  return marks;
}

Result<ProtocolSection> FindProtocolPlaces(const History& history, const std::vector<Frame>& frames,
                                           int section) {
  std::vector<std::pair<int64_t, ProtocolPlace>> passed;
  std::optional<int64_t> start_ns, end_ns;
  for (const Event& event : history.events) {
    const std::optional<Step> step = StepMarkedBy(event, history.facts);
    if (!step) continue;
    if (*step == Step::kStart) start_ns = event.at_ns;
    if (*step == Step::kAfterRelease) end_ns = event.at_ns;
    // Only the first section has the client's start.
    if (*step != Step::kStart || section == 1) passed.push_back({event.at_ns, {.step = *step}});
  }
  if (!start_ns || !end_ns) {
    return EnvironmentFailed(
        fmt::format("client {} did not finish its {} section in a run without faults: there is "
                    "nothing to sweep",
                    kFaultedClient, Ordinal(section)));
  }
  std::map<std::pair<int, std::string>, int> seen;
  for (const Frame& frame : frames) {
    if (frame.client != kFaultedClient || frame.is_reply) continue;
    if (frame.at_ns < *start_ns || frame.at_ns > *end_ns || frame.command.empty()) continue;
    const int nth = ++seen[{frame.node, frame.command}];
    passed.push_back({frame.at_ns, {.command = frame.command, .node = frame.node, .nth = nth}});
  }
  // Removes the steps of other sections.
  std::erase_if(passed,
                [&](const auto& one) { return *start_ns > one.first || *end_ns < one.first; });
  std::ranges::stable_sort(passed, {}, [](const auto& one) { return one.first; });
  ProtocolSection found{.begins_after = Duration(section == 1 ? 0 : *start_ns)};
  for (auto& [at_ns, place] : passed) found.places.push_back(std::move(place));
  return found;
}

}  // namespace doublehold
