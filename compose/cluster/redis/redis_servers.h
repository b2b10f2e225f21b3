// The Redis servers of a run: the store, and the nodes of locks that keep their keys in Redis.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REDIS_SERVERS_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REDIS_SERVERS_H_

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compose/cluster/redis/replication.h"
#include "compose/cluster/service.h"
#include "compose/os/reserved_ports.h"
#include "lib/plan/topology.h"

namespace doublehold {

// The node number under which clients reach the master, if the master's address follows the current
// master.
constexpr int kMasterAddress = 1;

class RedisServers final : public Service {
 public:
  explicit RedisServers(Parts parts);

  Result<void> Prepare() override;
  Result<SpawnRequest> CommandOf(int node) override;
  [[nodiscard]] NodeAddress AddressOf(int node) const override;
  [[nodiscard]] NodeAddress ClientAddressOf(int node) const override;
  [[nodiscard]] NodeAddress RefereeAddressOf(int node) const override;
  [[nodiscard]] Roster RosterFor(int client) const override;
  [[nodiscard]] Question Ping() const override;
  [[nodiscard]] std::optional<Question> AskTime(TellTime tell) const override;
  void Operate(int node, const std::vector<std::string>& command, Duration timeout,
               std::function<void(CallResult)> answer) override;
  Result<void> Begin() override;
  std::string FindMissing() override;
  [[nodiscard]] std::vector<LinkId> PeerLinks() const override;
  [[nodiscard]] std::string_view PeerFrames() const override;
  [[nodiscard]] bool IsLeader(int node) const override;
  [[nodiscard]] std::optional<Question> AskWhetherLeader() const override;
  void Promote(int node, Promotion how, std::function<void(bool)> done) override;
  Rejoining AfterRestart(int node) override;
  void ForgetData(int node) override;
  [[nodiscard]] std::filesystem::path LogOf(int node) const override;

  // ---- For the topologies (replication.h).

  [[nodiscard]] std::filesystem::path SocketOf(int node) const;
  [[nodiscard]] std::filesystem::path SentinelSocketOf(int number) const;
  // The host and port at which another server (LinkId::peer) reaches a node, through the proxy.
  [[nodiscard]] std::string PeerHost() const { return parts_.links.host(); }
  [[nodiscard]] uint16_t PeerPort(LinkId link) const { return peer_ports_.at(link); }
  // A port of the cluster bus, which does not pass the proxy.
  [[nodiscard]] uint16_t BusPort(int node) const {
    return bus_ports_.At(static_cast<size_t>(node));
  }
  // Starts the sentinels, which watch node 1 and its replicas.
  Result<void> StartSentinels();
  // Writes the configuration file that the server reads when it is started again. Only for
  // topologies in which a server's role may change. A Redis Cluster has a file of its own instead.
  Result<void> WriteConfig(int node, const std::string& text) const;
  // Moves the clients' address of the master to this server.
  void PointAtMaster(int node) const;
  // Resets the clients' connections to the master's address.
  void ResetClients() const;

 private:
  [[nodiscard]] const TopologyEntry& Topology() const {
    return *FindTopology(parts_.plan.topology);
  }
  // The address in the process's namespace, if it has one, else the socket.
  [[nodiscard]] NodeAddress Listens(ProcessRef ref, const std::filesystem::path& socket) const;
  // The socket at which clients reach a node, or a symbolic link to the master's socket.
  [[nodiscard]] std::filesystem::path ClientSocketOf(int node) const;
  [[nodiscard]] std::vector<std::string> SettingsOf(int node) const;
  // Returns the path of the server's configuration file. Returns an empty path if it has none.
  [[nodiscard]] std::filesystem::path ConfigOf(int node) const;
  Result<void> AddPeerLinks();
  // Returns the link over which servers and other sentinels reach a sentinel.
  [[nodiscard]] LinkId SentinelLink(int number) const {
    return {.client = 0, .node = ServersOf(parts_.plan) + number, .peer = kAnyPeer};
  }

  std::map<LinkId, uint16_t> peer_ports_;
  HeldPorts bus_ports_;                       // indexed by node
  std::unique_ptr<Replication> replication_;  // null: there are no replicas
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REDIS_REDIS_SERVERS_H_
