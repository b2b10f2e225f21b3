// How the lock servers are arranged: masters, replicas, and how clients find the master.
//
// Servers are numbered: first the masters, 1..plan.nodes, then the replicas, master by master. The
// store is not part of the topology.
#ifndef DOUBLEHOLD_LIB_PLAN_TOPOLOGY_H_
#define DOUBLEHOLD_LIB_PLAN_TOPOLOGY_H_

#include <span>
#include <string>
#include <string_view>

#include "lib/plan/plan.h"

namespace doublehold {

// How clients find the master.
enum class Lead : uint8_t {
  kFixed,     // each node has a fixed address
  kAddress,   // one address (virtual IP, DNS name), which an operator moves to the new master
  kSentinel,  // a client asks a sentinel for each new connection
  kCluster,   // a client asks any node, and follows MOVED
};

struct TopologyEntry {
  std::string_view name;
  std::string_view summary;  // for `doublehold list topologies`
  Lead lead = Lead::kFixed;
  int usual_nodes = 1, least_nodes = 1, most_nodes = 1;  // masters
  bool is_many = false;  // locks see each node separately; otherwise all nodes appear as one

  [[nodiscard]] bool HasReplicas() const { return lead != Lead::kFixed; }
  // Whether servers detect by themselves, after Plan::down_after, that another server is down.
  [[nodiscard]] bool FailsOver() const { return lead == Lead::kSentinel || lead == Lead::kCluster; }
};

constexpr std::string_view kExternal = "external";
// FaultPlan::data of a restart of such a server.
constexpr const char* kOwnData = "own";
constexpr int kMostReplicas = 4;  // for each master
constexpr int kSentinels = 3;     // for topology `sentinel`; two are a majority

std::span<const TopologyEntry> Topologies();
// Returns null when no topology has this name.
const TopologyEntry* FindTopology(std::string_view name);

// The functions below require that a topology has the name in the plan.

// Returns the number of masters and replicas.
int ServersOf(const Plan& plan);
// Whether the lock's servers are not started by the run.
bool IsExternal(const Plan& plan);
// Returns how many nodes a lock can connect to.
int LockNodesOf(const Plan& plan);
// Returns how many servers each client has a link to. These are all masters and replicas if the
// servers fail over by themselves, otherwise only the masters.
int ClientLinksOf(const Plan& plan);
// Returns the master that a replica has at the start of the run. Returns a master's own number.
int MasterOf(const Plan& plan, int server);

// Why the sizes in a plan do not fit its topology, and the setting at fault. Both are empty when
// the sizes fit.
struct Incompatibility {
  std::string setting;
  std::string why;
};
Incompatibility WhyWrongSize(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_PLAN_TOPOLOGY_H_
