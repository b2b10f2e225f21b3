// reset: resets connections in place of `count` frames (default 1) on each link. If the frame is a
// request, its command never reaches the node. If it is a reply, its command has run. Ends after
// `count` frames of every link.
#include <fmt/format.h>

#include <algorithm>

#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kResetDirection = "request";

Healer StartReset(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnLinks(cluster, start, DirectionsOf(start.plan, kResetDirection),
                      {.action = LinkRule::Action::kReset, .limit = std::max(1, start.plan.count)});
}

std::string DescribeReset(const FaultPlan& plan) {
  return fmt::format("connection reset in place of {}",
                     NameTraffic(plan, kResetDirection, std::max(1, plan.count)));
}

}  // namespace

FaultEntry ResetFault() {
  return {.name = "reset",
          .summary =
              "resets connections before a request arrives, or in place of the reply to a command "
              "that ran",
          .traits = {FaultTrait::kLosesMessages},
          .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance", "count"},
          .direction = kResetDirection,
          .needs_network = true,
          .validate = ValidateLinkFault,
          .start = StartReset,
          .asked_ns = [](const FaultPlan&) { return int64_t{0}; },
          .what = DescribeReset};
}

}  // namespace doublehold
