// Starts the servers and clients of a run. Assigns their names, sockets, ports and clock pages.
//
// Thread rule: runs on the supervisor's thread. No method waits.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_LAUNCHER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_LAUNCHER_H_

#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "compose/cluster/iptables_partition.h"
#include "compose/cluster/namespaces.h"
#include "compose/cluster/real_cluster.h"
#include "compose/cluster/redis/server.h"
#include "compose/os/child_processes.h"
#include "compose/os/reserved_ports.h"
#include "faults/proxy/proxy.h"
#include "lib/history/shared_run.h"
#include "lib/plan/plan.h"
#include "lib/plan/topology.h"
#include "lib/redis/route.h"

namespace doublehold {

// Returns the number of clock pages. The store, each node, the referee and each client have a page,
// in this order.
inline int ClockPagesOf(const Plan& plan) { return ServersOf(plan) + 1 + plan.clients + 1; }

// The address on which the proxy listens.
inline std::string ProxyHost(const Namespaces* network) {
  return network == nullptr ? "127.0.0.1" : network->own_address();
}

// The node number under which clients reach the master, if the master's address follows the current
// master.
constexpr int kMasterAddress = 1;

class Launcher {
 public:
  struct Places {
    const Plan& plan;
    std::filesystem::path folder;   // the run's folder, with plan.json and logs
    std::filesystem::path sockets;  // folder for the servers' sockets and data
    ServerProgram server;
    Namespaces* network = nullptr;  // the processes' network; null: the machine's own network
    PacketCuts* cuts = nullptr;     // gets the links; null if `network` is null
  };

  // All of these must outlive the launcher.
  Launcher(Places places, SharedRun& shared, RealCluster& cluster, Proxy& proxy, Children& children)
      : places_(std::move(places)),
        shared_(shared),
        cluster_(cluster),
        proxy_(proxy),
        children_(children) {}

  // Starts the store and the nodes. They may not answer yet when this returns.
  Result<void> StartServers();
  // Starts one server again. Requires that its old process has ended.
  Result<void> StartServer(int node);
  // Returns the hooks that start killed nodes again. The hooks call `failed` if a node cannot be
  // started. The launcher must outlive the hooks.
  Revival::Hooks RevivalHooks(std::function<void(const Error&)> failed, Rejoining rejoining);
  // Starts a client, or the referee (0). Returns the supervisor's end of the step channel. The
  // caller closes this descriptor.
  Result<int> StartClient(int number);

  [[nodiscard]] std::filesystem::path SocketOf(int node) const;

  // The host and port at which another server (LinkId::peer) reaches a node, through the proxy.
  [[nodiscard]] std::string PeerHost() const { return ProxyHost(places_.network); }
  [[nodiscard]] uint16_t PeerPort(LinkId link) const { return peer_ports_.at(link); }
  // A port of the cluster bus, which does not pass the proxy.
  [[nodiscard]] uint16_t BusPort(int node) const {
    return bus_ports_.At(static_cast<size_t>(node));
  }
  // Starts the sentinels, which watch node 1 and its replicas.
  Result<void> StartSentinels();
  [[nodiscard]] std::filesystem::path SentinelSocketOf(int number) const;
  // Writes the configuration file that the server reads when it is started again. Only for
  // topologies in which a server's role may change. A Redis Cluster has a file of its own instead.
  Result<void> WriteConfig(int node, const std::string& text) const;
  // Moves the clients' address of the master to this server.
  void PointAtMaster(int node) const;

 private:
  [[nodiscard]] int ClockPageOf(ProcessRef ref) const;
  [[nodiscard]] const TopologyEntry& Topology() const {
    return *FindTopology(places_.plan.topology);
  }
  // The socket at which clients reach a node, or a symbolic link to the master's socket.
  [[nodiscard]] std::filesystem::path ClientSocketOf(int node) const;
  [[nodiscard]] std::vector<std::string> SettingsOf(int node) const;
  // Returns the path of the server's configuration file. Returns an empty path if it has none.
  [[nodiscard]] std::filesystem::path ConfigOf(int node) const;
  Result<void> AddPeerLinks();
  // Adds a link to the proxy. The link leads to the process's namespace, if it has one, else to the
  // socket.
  Result<uint16_t> AddLink(LinkId link, ProcessRef to, const std::filesystem::path& socket);
  [[nodiscard]] OwnNetwork NetworkOf(ProcessRef ref) const;
  [[nodiscard]] NodeAddress AddressOf(ProcessRef ref, const std::filesystem::path& socket) const;
  // Returns the link over which servers and other sentinels reach a sentinel.
  [[nodiscard]] LinkId SentinelLink(int number) const {
    return {.client = 0, .node = ServersOf(places_.plan) + number, .peer = kAnyPeer};
  }
  [[nodiscard]] Roster RosterFor(int client) const;
  [[nodiscard]] std::filesystem::path FolderOf(int node) const;
  Result<std::vector<NodeAddress>> AddressesOf(int client);
  Result<std::vector<NodeAddress>> DriverNodesOf(int client, std::span<const NodeAddress> own);

  Places places_;
  SharedRun& shared_;
  RealCluster& cluster_;
  Proxy& proxy_;
  Children& children_;
  std::map<LinkId, uint16_t> peer_ports_;
  HeldPorts bus_ports_;  // indexed by node
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_LAUNCHER_H_
