// reset: connections are reset in place of `count` frames (1 when not said) on each of its links.
// In place of a request: before the command reaches its node. In place of a reply: after it ran. It
// ends when all of them are done.
#include <fmt/format.h>

#include <algorithm>

#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kResetDirection = "request";

Healer StartReset(Cluster& cluster, const Strike& strike, Prng&) {
  return StartOnLinks(
      cluster, strike, DirectionsOf(strike.plan, kResetDirection),
      {.action = LinkRule::Action::kReset, .limit = std::max(1, strike.plan.count)});
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
