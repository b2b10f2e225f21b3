// Topology `replicated`: a primary, its replicas, and an operator. Clients know one address, a
// socket's name that points at the primary: it is moved to a new one as a virtual IP or a DNS name
// is, and connections to the old one are reset.
#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "compose/cluster/replication.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

// An operator who hands over gives up sooner than the old master takes writes again.
constexpr std::string_view kPauseOfWritesMs = "60000";

class HandLed final : public Replication {
 public:
  using Replication::Replication;

  Result<void> Begin() override {
    for (int server = 2; server <= ServersOf(parts_.plan); ++server) {
      if (Result<void> ok = Follow(server, master_); !ok) return ok;
    }
    return {};
  }

  std::string WhatIsMissing() override {
    for (int server = 2; server <= ServersOf(parts_.plan); ++server) {
      if (AskRole(SocketOf(server)).state != "connected")
        return fmt::format("node {} has not caught up with the primary", server);
    }
    for (int server = 2; server <= ServersOf(parts_.plan); ++server) {
      if (!Flows(1, server, {"PUBLISH", "doublehold", "flows"}))
        return fmt::format("node {} is not sent what the primary writes", server);
    }
    return {};
  }

  // It comes back as what its file says, or said when it was started.
  Rejoining AfterRestart() override {
    return {.is_met = [this](int server, const Reply& /*answer*/) {
      return server == master_ || Follow(server, master_).has_value();
    }};
  }

  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    if (how != Promotion::kPlanned) {
      // Later, never from inside this call.
      boost::asio::post(parts_.io, [this, node, tell = std::move(done)] { tell(Lead(node)); });
      return;
    }
    const std::filesystem::path old = SocketOf(master_);
    if (!AskServer(old, {"CLIENT", "PAUSE", kPauseOfWritesMs, "WRITE"})) {
      boost::asio::post(parts_.io, [tell = std::move(done)] { tell(false); });
      return;
    }
    const int64_t all = AskRole(old).offset;
    Await([this, node, all] { return AskRole(SocketOf(node)).offset >= all; },
          [this, node, old, tell = std::move(done)](bool caught_up) {
            const bool led = caught_up && Lead(node);
            // What was kept waiting is refused now, by a replica, or carried out when nothing came
            // of it.
            [[maybe_unused]] const CallResult unpaused = AskServer(old, {"CLIENT", "UNPAUSE"});
            tell(led);
          });
  }

 private:
  [[nodiscard]] std::filesystem::path SocketOf(int server) const {
    return parts_.launcher.SocketOf(server);
  }

  // In its file too, so that it comes back as a replica if it dies; one that is dead has nothing
  // but the file.
  Result<void> Follow(int server, int master) {
    const std::string port = std::to_string(parts_.launcher.PeerPort({0, master, server}));
    [[maybe_unused]] const CallResult told =
        AskServer(SocketOf(server), {"REPLICAOF", parts_.launcher.PeerHost(), port});
    return parts_.launcher.WriteConfig(
        server, fmt::format("replicaof {} {}\n", parts_.launcher.PeerHost(), port));
  }

  // False when the node does not answer: then the clients stay where they are.
  bool Lead(int node) {
    if (!AskServer(SocketOf(node), {"REPLICAOF", "NO", "ONE"})) return false;
    if (!parts_.launcher.WriteConfig(node, "")) return false;
    master_ = node;
    parts_.launcher.PointAtMaster(node);
    for (int server = 1; server <= ServersOf(parts_.plan); ++server) {
      if (server != node && !Follow(server, node)) return false;
    }
    for (int client = 1; client <= parts_.plan.clients; ++client) {
      parts_.proxy.ResetConnections({client, kMasterAddress});
    }
    return true;
  }

  int master_ = 1;
};

}  // namespace

std::unique_ptr<Replication> MakeHandLed(const Replication::Parts& parts) {
  return std::make_unique<HandLed>(parts);
}

}  // namespace doublehold
