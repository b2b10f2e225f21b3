#include "lib/plan/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr int kMostNodes = 15;
constexpr int kUsualQuorum = 5;
// Electing a replica needs the votes of a majority of the masters. The failed master has no vote.
constexpr int kLeastClusterMasters = 3;
constexpr int kMostClusterMasters = 5;

constexpr std::array kTopologies{
    TopologyEntry{.name = "single", .summary = "one node"},
    TopologyEntry{.name = "independent",
                  .summary = "N independent nodes",
                  .usual_nodes = kUsualQuorum,
                  .most_nodes = kMostNodes,
                  .is_many = true},
    TopologyEntry{.name = kExternal,
                  .summary = "servers that somebody else has started: one --endpoint each",
                  .most_nodes = kMostNodes,
                  .is_many = true},
    TopologyEntry{.name = "ensemble",
                  .summary = "servers that elect a leader and know each other; clients use any",
                  .usual_nodes = 3,
                  .least_nodes = 2,
                  .most_nodes = kMostNodes},
    TopologyEntry{
        .name = "replicated",
        .summary = "a primary with replicas; a manual failover moves the clients' address",
        .lead = Lead::kAddress},
    TopologyEntry{.name = "sentinel",
                  .summary = "a primary with replicas; clients ask one of three sentinels for it",
                  .lead = Lead::kSentinel},
    TopologyEntry{.name = "cluster",
                  .summary = "Redis Cluster: masters with replicas; clients follow MOVED",
                  .lead = Lead::kCluster,
                  .usual_nodes = kLeastClusterMasters,
                  .least_nodes = kLeastClusterMasters,
                  .most_nodes = kMostClusterMasters},
};

const TopologyEntry& EntryOf(const Plan& plan) {
  const TopologyEntry* entry = FindTopology(plan.topology);
  CHECK(entry != nullptr);
  return *entry;
}

}  // namespace

std::span<const TopologyEntry> Topologies() { return kTopologies; }

const TopologyEntry* FindTopology(std::string_view name) {
  const auto* found = std::ranges::find(kTopologies, name, &TopologyEntry::name);
  return found == kTopologies.end() ? nullptr : found;
}

int ServersOf(const Plan& plan) { return plan.nodes * (1 + plan.replicas); }

bool IsExternal(const Plan& plan) { return plan.topology == kExternal; }

int LockNodesOf(const Plan& plan) { return EntryOf(plan).is_many ? plan.nodes : 1; }

int ClientLinksOf(const Plan& plan) {
  return EntryOf(plan).FailsOver() ? ServersOf(plan) : plan.nodes;
}

int MasterOf(const Plan& plan, int server) {
  return server <= plan.nodes ? server : (server - plan.nodes - 1) / plan.replicas + 1;
}

Incompatibility WhyWrongSize(const Plan& plan) {
  const TopologyEntry& entry = EntryOf(plan);
  const bool one = entry.most_nodes == 1;
  if (plan.nodes < entry.least_nodes || plan.nodes > entry.most_nodes) {
    if (one && entry.HasReplicas()) {
      return {"nodes", fmt::format("'{}' has one primary, not {}; 'replicas' says how many servers "
                                   "follow it",
                                   entry.name, plan.nodes)};
    }
    if (one) {
      return {"name",
              fmt::format("'{}' has one node, not {}; use independent", entry.name, plan.nodes)};
    }
    return {"nodes",
            fmt::format("'{}' has {} to {} {}, not {}", entry.name, entry.least_nodes,
                        entry.most_nodes, entry.HasReplicas() ? "masters" : "nodes", plan.nodes)};
  }
  if (!entry.HasReplicas() && plan.replicas != 0) {
    return {"replicas",
            fmt::format("'{}' has no replicas; use replicated, sentinel or cluster", entry.name)};
  }
  if (entry.HasReplicas() && (plan.replicas < 1 || plan.replicas > kMostReplicas)) {
    return {"replicas", fmt::format("{} is not in 1..{}", plan.replicas, kMostReplicas)};
  }
  if (plan.net == kNamespaces && entry.lead == Lead::kCluster) {
    return {"net", fmt::format("the servers of '{}' also connect to each other directly, which "
                               "namespaces do not support; use net = \"proxy\"",
                               entry.name)};
  }
  if (entry.HasReplicas() && plan.direct) {
    return {"direct",
            fmt::format("the servers of '{}' need the proxy, which 'direct' bypasses", entry.name)};
  }
  return {};
}

}  // namespace doublehold
