// Starts the servers and clients of a run: what each is called, where it listens, what it is
// handed.
//
// Thread rule: the supervisor's. Nothing here waits.
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

// Clock pages: one for the store and each node, the referee and each client, in this order.
inline int ClockPagesOf(const Plan& plan) { return ServersOf(plan) + 1 + plan.clients + 1; }

// Where the proxy listens.
inline std::string ProxyHost(const Namespaces* network) {
  return network == nullptr ? "127.0.0.1" : network->own_address();
}

// The node under whose number clients reach the master, where its address is moved to it.
constexpr int kMasterAddress = 1;

// In a run's folder, for the logs of its servers and clients.
Result<void> MakeLogFolders(const std::filesystem::path& run);

class Launcher {
 public:
  struct Places {
    const Plan& plan;
    std::filesystem::path folder;   // of the run: plan.json, logs
    std::filesystem::path sockets;  // of the servers, and what they keep on disk
    ServerProgram server;
    Namespaces* network = nullptr;  // where the processes live; null: in the machine's own
    PacketCuts* cuts = nullptr;     // told of the links; null as network is
  };

  // All of them outlive it.
  Launcher(Places places, SharedRun& shared, RealCluster& cluster, Proxy& proxy, Children& children)
      : places_(std::move(places)),
        shared_(shared),
        cluster_(cluster),
        proxy_(proxy),
        children_(children) {}

  // The store and the nodes; they do not answer yet.
  Result<void> StartServers();
  // One of them, once more: it has ended.
  Result<void> StartServer(int node);
  // How nodes are started again; `failed` is told of one that cannot be. Used as long as this
  // lives.
  Revival::Hooks RevivalHooks(std::function<void(const Error&)> failed);
  // A client, or the referee (0). Answers our end of its step channel, which the caller closes.
  Result<int> StartClient(int number);

  [[nodiscard]] std::filesystem::path SocketOf(int node) const;

  // Where another server (LinkId::peer) reaches a node, through the proxy.
  [[nodiscard]] std::string PeerHost() const { return ProxyHost(places_.network); }
  [[nodiscard]] uint16_t PeerPort(LinkId link) const { return peer_ports_.at(link); }
  // A port of the bus of a Redis Cluster, which does not go through the proxy.
  [[nodiscard]] uint16_t BusPort(int node) const {
    return bus_ports_.At(static_cast<size_t>(node));
  }
  // The sentinels, which watch node 1 and its replicas.
  Result<void> StartSentinels();
  [[nodiscard]] std::filesystem::path SentinelSocketOf(int number) const;
  // What the server finds in its file of settings when it is started again; only where its place
  // may change, and not in a cluster, which has a file of its own.
  Result<void> WriteConfig(int node, const std::string& text) const;
  // From now on the clients' address of the master is this server's.
  void PointAtMaster(int node) const;

 private:
  [[nodiscard]] int ClockPageOf(ProcessRef ref) const;
  [[nodiscard]] const TopologyEntry& Topology() const {
    return *FindTopology(places_.plan.topology);
  }
  // Where clients reach a node: its socket, or a name that points at the master's.
  [[nodiscard]] std::filesystem::path ClientSocketOf(int node) const;
  [[nodiscard]] std::vector<std::string> SettingsOf(int node) const;
  // Empty: it has none.
  [[nodiscard]] std::filesystem::path ConfigOf(int node) const;
  Result<void> AddPeerLinks();
  // Of the proxy. It leads to a process in a namespace, or else to the socket.
  Result<uint16_t> AddLink(LinkId link, ProcessRef to, const std::filesystem::path& socket);
  Result<void> AddPeerLink(LinkId link, ProcessRef to, const std::filesystem::path& socket);
  [[nodiscard]] OwnNetwork NetworkOf(ProcessRef ref) const;
  [[nodiscard]] NodeAddress AddressOf(ProcessRef ref, const std::filesystem::path& socket) const;
  // Under which the servers and sentinels reach a sentinel.
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
  HeldPorts bus_ports_;  // by node
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_LAUNCHER_H_
