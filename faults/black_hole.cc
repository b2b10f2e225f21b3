// black-hole: everything vanishes until it is healed, in both directions or in the one named, while
// connections stay open: nothing that was sent meanwhile ever arrives.
#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kDirection = "both";

Healer Start(Cluster& cluster, const Strike& strike, Prng&) {
  return StartTimedOnLinks(cluster, strike, DirectionsOf(strike.plan, kDirection),
                           {.action = LinkRule::Action::kDrop});
}

}  // namespace

FaultEntry BlackHoleFault() {
  return {.name = "black-hole",
          .summary = "everything vanishes, in both directions or one; connections stay open",
          .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance"},
          .direction = kDirection,
          .needs_network = true,
          .validate = ValidateLinkFault,
          .start = Start,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .what = [](const FaultPlan& plan) { return NameTraffic(plan, kDirection) + " lost"; }};
}

}  // namespace doublehold
