// stall: keeps all frames in its direction until it is healed. Then the frames arrive at once, in
// order, even if their client has closed its connection.
#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kStallDirection = "request";

Healer StartStall(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnLinks(cluster, start, DirectionsOf(start.plan, kStallDirection),
                      {.action = LinkRule::Action::kHold});
}

}  // namespace

FaultEntry StallFault() {
  return {
      .name = "stall",
      .summary = "holds all messages of a link back; they arrive when it is healed",
      .traits = {FaultTrait::kKeepsMessages, FaultTrait::kCutsOff},
      .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance"},
      .direction = kStallDirection,
      .needs_network = true,
      .validate = ValidateLinkFault,
      .start = StartStall,
      // The healer returns the longest time that a frame was kept, or 0 if there was no frame.
      .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
      .what =
          [](const FaultPlan& plan) { return NameTraffic(plan, kStallDirection) + " stalled"; }};
}

}  // namespace doublehold
