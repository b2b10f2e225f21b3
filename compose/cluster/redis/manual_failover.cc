// Topology `replicated`: a primary, its replicas, and an operator. Clients know one address, a
// symbolic link to the primary's socket. A failover moves this link, like a virtual IP or a DNS
// name, and resets connections to the old primary.
#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "compose/cluster/redis/redis_question.h"
#include "compose/cluster/redis/redis_servers.h"
#include "compose/cluster/redis/replication.h"
#include "compose/cluster/redis/server.h"

namespace doublehold {
namespace {

// For so long the old master accepts no writes. The operator finishes or gives up earlier.
constexpr std::string_view kPauseOfWritesMs = "60000";

class ManualFailover final : public Replication {
 public:
  using Replication::Replication;

  Result<void> Begin() override {
    for (int server = 2; server <= Servers(); ++server) {
      TRY(Follow(server, master_));
    }
    return {};
  }

  std::string FindMissing() override { return FindMissingAtReplicas(); }

  // A restarted server has the role that is in its configuration file.
  Rejoining AfterRestart(int node) override {
    return {.question = [this, node] {
      return RedisQuestion({"PING"}, [this, node](const CallResult& /*reply*/) {
        return node == master_ || Follow(node, master_).has_value();
      });
    }};
  }

  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    if (how != Promotion::kPlanned) {
      // Posted, so that `done` is not called from inside this call.
      boost::asio::post(parts_.io,
                        [this, node, on_done = std::move(done)] { on_done(Lead(node)); });
      return;
    }
    const std::filesystem::path old = SocketOf(master_);
    if (!AskServer(old, {"CLIENT", "PAUSE", kPauseOfWritesMs, "WRITE"})) {
      boost::asio::post(parts_.io, [on_done = std::move(done)] { on_done(false); });
      return;
    }
    const int64_t all = AskRole(old).offset;
    Await([this, node, all] { return AskRole(SocketOf(node)).offset >= all; },
          [this, node, old, on_done = std::move(done)](bool caught_up) {
            const bool led = caught_up && Lead(node);
            // Paused writes are now refused, since the server is a replica. If the failover failed,
            // they are executed.
            [[maybe_unused]] const CallResult unpaused = AskServer(old, {"CLIENT", "UNPAUSE"});
            on_done(led);
          });
  }

 private:
  // Also writes the configuration file, so that the server restarts as a replica. If the server is
  // dead, only writes the file.
  Result<void> Follow(int server, int master) {
    const std::string port = std::to_string(parts_.servers.PeerPort({0, master, server}));
    [[maybe_unused]] const CallResult told =
        AskServer(SocketOf(server), {"REPLICAOF", parts_.servers.PeerHost(), port});
    return parts_.servers.WriteConfig(
        server, fmt::format("replicaof {} {}\n", parts_.servers.PeerHost(), port));
  }

  // Makes the node the primary. Returns false if the node does not answer; clients then still reach
  // the old primary.
  bool Lead(int node) {
    if (!AskServer(SocketOf(node), {"REPLICAOF", "NO", "ONE"})) return false;
    if (!parts_.servers.WriteConfig(node, "")) return false;
    master_ = node;
    parts_.servers.PointAtMaster(node);
    for (int server = 1; server <= Servers(); ++server) {
      if (server != node && !Follow(server, node)) return false;
    }
    parts_.servers.ResetClients();
    return true;
  }

  int master_ = 1;
};

}  // namespace

std::unique_ptr<Replication> MakeManualFailover(const Replication::Parts& parts) {
  return std::make_unique<ManualFailover>(parts);
}

}  // namespace doublehold
