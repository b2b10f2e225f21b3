// Topology `cluster`: masters that share the slots evenly, each with its replicas. Commands and
// replication pass the proxy, at the port that a server announces. The cluster bus bypasses the
// proxy.
#include <fmt/format.h>

#include <utility>

#include "compose/cluster/redis/redis_question.h"
#include "compose/cluster/redis/redis_servers.h"
#include "compose/cluster/redis/replication.h"
#include "compose/cluster/redis/server.h"
#include "compose/plan/key_slots.h"

namespace doublehold {
namespace {

constexpr Duration kRejoinPatience = 5s;

class RedisCluster final : public Replication {
 public:
  using Replication::Replication;

  Result<void> Begin() override {
    const int masters = parts_.plan.nodes;
    for (int server = 1; server <= Servers(); ++server) {
      if (!AskServer(SocketOf(server), {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(server)},
                     kPatienceWithNewServers))
        return EnvironmentFailed(
            fmt::format("node {} did not accept CLUSTER SET-CONFIG-EPOCH", server));
    }
    for (int master = 1; master <= masters; ++master) {
      const std::string first = std::to_string(FirstSlot(master, masters));
      const std::string last = std::to_string(FirstSlot(master + 1, masters) - 1);
      const CallResult shared = AskServer(
          SocketOf(master), {"CLUSTER", "ADDSLOTSRANGE", first, last}, kPatienceWithNewServers);
      if (!shared) {
        return EnvironmentFailed(fmt::format(
            "node {} did not accept CLUSTER ADDSLOTSRANGE: {}; it needs Redis 7.0 or later", master,
            shared.error().message));
      }
    }
    for (int server = 2; server <= Servers(); ++server) {
      const std::string port = std::to_string(parts_.servers.PeerPort({0, server, kAnyPeer}));
      const std::string bus = std::to_string(parts_.servers.BusPort(server));
      if (!AskServer(SocketOf(1), {"CLUSTER", "MEET", "127.0.0.1", port, bus},
                     kPatienceWithNewServers))
        return EnvironmentFailed(
            fmt::format("node 1 did not accept CLUSTER MEET with node {}", server));
    }
    return {};
  }

  std::string FindMissing() override {
    for (int server = 1; server <= Servers(); ++server) {
      if (Info(server, "cluster_known_nodes") != std::to_string(Servers()))
        return fmt::format("node {} does not know all other nodes", server);
    }
    for (int server = parts_.plan.nodes + 1; server <= Servers(); ++server) {
      const Role role = AskRole(SocketOf(server));
      if (role.role != "slave") Follow(server);
      if (role.state != "connected")
        return fmt::format("node {} has not caught up with its master", server);
    }
    for (int server = 1; server <= Servers(); ++server) {
      if (Info(server, "cluster_state") != "ok")
        return fmt::format("node {} reports that the cluster is down", server);
    }
    for (int server = parts_.plan.nodes + 1; server <= Servers(); ++server) {
      // PUBLISH is no alternative, because it goes over the cluster bus.
      if (!Flows(MasterOf(parts_.plan, server), server, {"FUNCTION", "FLUSH"}))
        return fmt::format("node {} does not receive its master's writes", server);
    }
    return {};
  }

  // A restarted node reads its slots and peers from its file. But a master takes no commands for
  // two seconds after its start, and the other nodes may have marked it as failed. Until every node
  // reports that the cluster is up, some keys have no server.
  Rejoining AfterRestart(int /*node*/) override {
    Rejoining rejoining{
        .question =
            [] {
              return RedisQuestion({"CLUSTER", "INFO"}, [](const CallResult& reply) {
                return reply && reply->text.find("cluster_state:ok") != std::string::npos;
              });
            },
        .patience = kRejoinPatience + 3 * parts_.plan.down_after};
    for (int server = 1; server <= Servers(); ++server)
      rejoining.witnesses.push_back({.unix_path = SocketOf(server).string()});
    return rejoining;
  }

  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    if (how != Promotion::kAwaited) {
      const CallResult told = how == Promotion::kPlanned
                                  ? AskServer(SocketOf(node), {"CLUSTER", "FAILOVER"})
                                  : AskServer(SocketOf(node), {"CLUSTER", "FAILOVER", "TAKEOVER"});
      if (!told) return Await([] { return false; }, std::move(done));
    }
    Await([this, node] { return AskRole(SocketOf(node)).role == "master"; }, std::move(done));
  }

 private:
  // Returns the value in a line of CLUSTER INFO, such as "ok" in "cluster_state:ok".
  [[nodiscard]] std::string Info(int server, const std::string& name) const {
    const CallResult info = AskServer(SocketOf(server), {"CLUSTER", "INFO"});
    const size_t at = info ? info->text.find(name + ":") : std::string::npos;
    if (at == std::string::npos) return {};
    const size_t start = at + name.size() + 1;
    return info->text.substr(start, info->text.find('\r', start) - start);
  }

  // A server that does not know its master yet refuses the command. The caller retries.
  void Follow(int server) const {
    const CallResult id = AskServer(SocketOf(MasterOf(parts_.plan, server)), {"CLUSTER", "MYID"});
    if (!id) return;
    [[maybe_unused]] const CallResult told =
        AskServer(SocketOf(server), {"CLUSTER", "REPLICATE", id->text});
  }
};

}  // namespace

std::unique_ptr<Replication> MakeRedisCluster(const Replication::Parts& parts) {
  return std::make_unique<RedisCluster>(parts);
}

}  // namespace doublehold
