// How the servers that keep lock keys hang together: which there are, who is whose replica, and how
// clients find the one that takes writes.
//
// Servers are numbered: first the masters, 1..plan.nodes, then the replicas, master by master. The
// store is no part of it.
#ifndef DOUBLEHOLD_LIB_PLAN_TOPOLOGY_H_
#define DOUBLEHOLD_LIB_PLAN_TOPOLOGY_H_

#include <span>
#include <string>
#include <string_view>

#include "lib/plan/plan.h"

namespace doublehold {

// How clients get to the master.
enum class Lead : uint8_t {
  kFixed,    // a node is where it is
  kAddress,  // one address that is moved to the new master by hand, as a virtual IP or a DNS name is
  kSentinel,  // a client asks a sentinel each time that it connects
  kCluster,   // a client asks any node, and goes where MOVED sends it
};

struct TopologyEntry {
  std::string_view name;
  std::string_view summary;  // for `doublehold list topologies`
  Lead lead = Lead::kFixed;
  int usual_nodes = 1, least_nodes = 1, most_nodes = 1;  // masters
  bool is_many = false;  // locks see its nodes one by one; else all of them are one node to a lock

  [[nodiscard]] bool HasReplicas() const { return lead != Lead::kFixed; }
  // A server tells by itself that another is down, after Plan::down_after.
  [[nodiscard]] bool FailsOver() const { return lead == Lead::kSentinel || lead == Lead::kCluster; }
};

constexpr int kMostReplicas = 4;  // of each master
constexpr int kSentinels = 3;     // of topology `sentinel`: two of them are a majority

std::span<const TopologyEntry> Topologies();
// Null when there is none of that name.
const TopologyEntry* FindTopology(std::string_view name);

// All of these take a plan whose topology is known.

// Masters and replicas.
int ServersOf(const Plan& plan);
// Of how many nodes a lock may ask for a connection.
int LockNodesOf(const Plan& plan);
// How many nodes a client has links to that it uses: masters and replicas, where it finds out by
// itself which is which.
int ClientLinksOf(const Plan& plan);
// Whose replica a server is when the run begins; its own number when it is a master.
int MasterOf(const Plan& plan, int server);

// Why the sizes do not fit the topology, and the setting that is to blame; both empty when they do.
struct Misfit {
  std::string setting;
  std::string why;
};
Misfit WhyWrongSize(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_PLAN_TOPOLOGY_H_
