// hold: keeps `count` frames (default 1) on each link for `length` each, then releases them. A held
// request arrives when its client no longer expects that. Later frames of the connection wait
// behind a held frame. Ends when all held frames are forwarded.
#include <fmt/format.h>

#include <algorithm>

#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kHoldDirection = "request";

Result<void> ValidateHold(const FaultPlan& plan) {
  if (plan.length <= Duration{})
    return BadFault(plan, "needs 'for': the longest time for which it holds a frame", "for");
  return ValidateLinkFault(plan);
}

Healer StartHold(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnLinks(cluster, start, DirectionsOf(start.plan, kHoldDirection),
                      {.action = LinkRule::Action::kDelay,
                       .delay = start.plan.length,
                       .limit = std::max(1, start.plan.count)});
}

std::string DescribeHold(const FaultPlan& plan) {
  return fmt::format("{} held", NameTraffic(plan, kHoldDirection, std::max(1, plan.count)));
}

}  // namespace

FaultEntry HoldFault() {
  return {.name = "hold",
          .summary = "holds single messages back, then delivers them",
          .traits = {FaultTrait::kKeepsMessages},
          .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance", "count"},
          .direction = kHoldDirection,
          .needs_network = true,
          .validate = ValidateHold,
          .start = StartHold,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .length_is_of_frames = true,
          .what = DescribeHold};
}

}  // namespace doublehold
