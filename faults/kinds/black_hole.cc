// black-hole: drops all traffic until it is healed, in both directions or in one. Connections stay
// open, and dropped traffic never arrives.
#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kBlackHoleDirection = "both";

Healer StartBlackHole(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartTimedOnLinks(cluster, start, DirectionsOf(start.plan, kBlackHoleDirection),
                           {.action = LinkRule::Action::kDrop});
}

}  // namespace

FaultEntry BlackHoleFault() {
  return {
      .name = "black-hole",
      .summary = "drops all messages, in both directions or one; connections stay open",
      .traits = {FaultTrait::kLosesMessages, FaultTrait::kKeepsMessages, FaultTrait::kCutsOff},
      .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance"},
      .direction = kBlackHoleDirection,
      .needs_network = true,
      .validate = ValidateLinkFault,
      .start = StartBlackHole,
      .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
      .what =
          [](const FaultPlan& plan) { return NameTraffic(plan, kBlackHoleDirection) + " lost"; }};
}

}  // namespace doublehold
