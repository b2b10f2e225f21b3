// partition: a client, or every client, is cut off from `nodes` in both directions until it is
// healed. Nothing crosses, then or later: commands sent meanwhile never run.
#include "faults/targets.h"

namespace doublehold {
namespace {

Result<void> Validate(const FaultPlan& plan) {
  if (plan.nodes.empty()) return BadFault(plan, "needs the nodes that are cut off");
  return {};
}

Healer Start(Cluster& cluster, const Strike& strike, Prng&) {
  return StartTimedOnLinks(cluster, strike, {Direction::kRequest, Direction::kReply},
                           {.action = LinkRule::Action::kDrop});
}

}  // namespace

FaultEntry PartitionFault() {
  return {.name = "partition",
          .summary = "a client, or all of them, cut off from some nodes",
          .keys = {"client", "nodes"},
          .needs_network = true,
          .validate = Validate,
          .start = Start,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .what =
              [](const FaultPlan& plan) {
                return NameClient(plan) + " cut off from " + NameNodes(plan);
              }};
}

}  // namespace doublehold
