// Starts the servers and clients of a run. Assigns their names, sockets, ports and clock pages.
//
// Thread rule: runs on the supervisor's thread. No method waits.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_LAUNCHER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_LAUNCHER_H_

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "compose/cluster/links.h"
#include "compose/cluster/real_cluster.h"
#include "compose/cluster/service.h"
#include "compose/os/child_processes.h"
#include "lib/history/shared_run.h"
#include "lib/plan/plan.h"
#include "lib/plan/topology.h"

namespace doublehold {

// Returns the number of clock pages. The store, each node, the referee and each client have a page,
// in this order.
inline int ClockPagesOf(const Plan& plan) { return ServersOf(plan) + 1 + plan.clients + 1; }

class Launcher {
 public:
  struct Places {
    const Plan& plan;
    std::filesystem::path folder;   // the run's folder, with plan.json and logs
    std::filesystem::path sockets;  // folder for the servers' sockets and data
    ServerProgram store, locks;     // the programs of the store and of the lock nodes
  };

  // All of these must outlive the launcher.
  Launcher(Places places, boost::asio::io_context& io, SharedRun& shared, RealCluster& cluster,
           Links& links, Children& children);

  // Starts the store and the nodes. They may not answer yet when this returns.
  Result<void> StartServers();
  // Describes a server that is not ready for clients yet; empty: all are. The caller polls, while
  // the event loop runs.
  std::string FindUnready();
  // Starts one server again. Requires that its old process has ended.
  Result<void> StartServer(int node);
  // Returns the hooks that start killed nodes again. The hooks call `failed` if a node cannot be
  // started. The launcher must outlive the hooks.
  Revival::Hooks RevivalHooks(std::function<void(const Error&)> failed);
  // Starts a client, or the referee (0). Returns the supervisor's end of the step channel. The
  // caller closes this descriptor.
  Result<int> StartClient(int number);

  // Ends all processes: first those that use the servers, then the servers. The error is that of
  // Service::Finish. Further calls only end processes.
  Result<void> StopAll();

  // The service of the store (0) or of the lock nodes.
  [[nodiscard]] Service& ServiceOf(int node) { return node == kStoreNode ? *store_ : *locks_; }

 private:
  [[nodiscard]] int ClockPageOf(ProcessRef ref) const;
  [[nodiscard]] Protocol ProtocolOf(int node) const;
  // Starts a process in its own network. Under the clock shim if it has a clock page.
  Result<void> Start(ProcessRef ref, const std::string& name, SpawnRequest command);
  Result<std::vector<NodeAddress>> AddressesOf(int client);
  Result<std::vector<NodeAddress>> DriverNodesOf(int client, std::span<const NodeAddress> own);

  Places places_;
  Plan store_plan_;  // the plan for a store that is not among the locks' servers: one server
  SharedRun& shared_;
  RealCluster& cluster_;
  Links& links_;
  Children& children_;
  boost::asio::io_context& io_;
  int ready_ = 0;  // so many servers are ready, the store first
  bool finished_ = false;
  bool asking_ = false;  // whether the next server was asked, and has not answered
  std::shared_ptr<Service> store_, locks_;  // the same if the run starts both, of one service
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_LAUNCHER_H_
