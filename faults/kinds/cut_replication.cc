// cut-replication: the writes of servers do not reach their replicas until the fault is healed.
// Clients and sentinels still reach all servers. Dropped writes are lost, and the connections are
// opened again afterwards.
//
// The cut must begin before the write that is to be lost. Stopping a replica is not enough: the
// write would wait in the replica's socket.
#include <algorithm>

#include "faults/targets.h"

namespace doublehold {
namespace {

Result<void> ValidateCutReplication(const FaultPlan& plan) {
  if (plan.nodes.empty()) return BadFault(plan, "needs the nodes whose replication is cut (nodes)");
  return {};
}

Healer StartCutReplication(Cluster& cluster, const FaultStart& start, Prng&) {
  for (const int node : start.plan.nodes) cluster.CutReplication(node);
  return Healer([&cluster, nodes = start.plan.nodes, began = cluster.Now()] {
    int64_t lost = 0;
    for (const int node : nodes) lost += cluster.MendReplication(node);
    return lost == 0 ? kDidNotAct : AtLeastActed(cluster.Now() - began);
  });
}

}  // namespace

FaultEntry CutReplicationFault() {
  return {
      .name = "cut-replication",
      .summary = "stops replication from nodes to their replicas",
      .traits = {FaultTrait::kCutsReplication},
      .keys = {"nodes"},
      .needs_network = true,
      .needs_replicas = true,
      .validate = ValidateCutReplication,
      .start = StartCutReplication,
      .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
      .trial = {{"topology.name", "replicated"}},
      .what = [](const FaultPlan& plan) { return "replication of " + NameNodes(plan) + " cut"; }};
}

}  // namespace doublehold
