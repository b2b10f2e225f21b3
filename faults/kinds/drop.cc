// drop: loses `count` frames (default 1) on each link. If a reply is lost, its command has run, but
// the client cannot know that. Ends when `count` frames of every link are dropped.
#include <fmt/format.h>

#include <algorithm>

#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kDropDirection = "reply";

Healer StartDrop(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnLinks(cluster, start, DirectionsOf(start.plan, kDropDirection),
                      {.action = LinkRule::Action::kDrop, .limit = std::max(1, start.plan.count)});
}

std::string DescribeDrop(const FaultPlan& plan) {
  return fmt::format("{} dropped", NameTraffic(plan, kDropDirection, std::max(1, plan.count)));
}

}  // namespace

FaultEntry DropFault() {
  return {.name = "drop",
          .summary = "drops single messages; the command of a dropped reply was carried out",
          .traits = {FaultTrait::kLosesMessages, FaultTrait::kDrops},
          .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance", "count"},
          .direction = kDropDirection,
          .needs_network = true,
          .validate = ValidateLinkFault,
          .start = StartDrop,
          .asked_ns = [](const FaultPlan&) { return int64_t{0}; },
          .what = DescribeDrop};
}

}  // namespace doublehold
