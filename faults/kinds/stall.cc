// stall: a network that stops carrying. Everything in its direction is kept until it is healed, and
// then arrives at once, in order; also what a client sent that has closed its connection since.
#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kStallDirection = "request";

Healer StartStall(Cluster& cluster, const Strike& strike, Prng&) {
  return StartOnLinks(cluster, strike, DirectionsOf(strike.plan, kStallDirection),
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
      // Measured is the longest that a frame was kept: 0 when none came by.
      .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
      .what =
          [](const FaultPlan& plan) { return NameTraffic(plan, kStallDirection) + " stalled"; }};
}

}  // namespace doublehold
