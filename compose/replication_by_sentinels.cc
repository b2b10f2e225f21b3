// Topology `sentinel`: a primary, its replicas, and three sentinels that watch them and vote for a new primary when it is
// silent. All of them reach each other at ports of the proxy.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compose/replication.h"
#include "lib/plan/topology.h"
#include "lib/redis/route.h"

namespace doublehold {
namespace {

class Watched final : public Replication {
 public:
  using Replication::Replication;

  Result<void> Begin() override {
    const std::string port = std::to_string(PortOf(kMasterAddress));
    for (int server = 2; server <= ServersOf(parts_.plan); ++server) {
      if (!AskServer(SocketOf(server), {"REPLICAOF", parts_.launcher.PeerHost(), port},
                     kPatienceWithNewServers))
        return EnvironmentFailed(fmt::format("node {} takes no REPLICAOF", server));
      // From now on the sentinels have it rewritten.
      const std::string config = fmt::format("replicaof {} {}\n", parts_.launcher.PeerHost(), port);
      if (Result<void> ok = parts_.launcher.WriteConfig(server, config); !ok) return ok;
    }
    return parts_.launcher.StartSentinels();
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
    for (int number = 1; number <= kSentinels; ++number) {
      std::string missing = WhatMisses(number);
      if (!missing.empty()) return missing;
    }
    return {};
  }

  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    if (how == Promotion::kPlanned) {
      [[maybe_unused]] const CallResult told = Ask(1, {"SENTINEL", "FAILOVER", kMasterName});
    }
    Await([this, node] { return IsMaster(node); }, std::move(done));
  }

 private:
  [[nodiscard]] std::filesystem::path SocketOf(int server) const {
    return parts_.launcher.SocketOf(server);
  }
  [[nodiscard]] uint16_t PortOf(int server) const {
    return parts_.launcher.PeerPort({0, server, kAnyPeer});
  }
  CallResult Ask(int sentinel, std::initializer_list<std::string_view> command) const {
    return AskServer(parts_.launcher.SentinelSocketOf(sentinel), command);
  }

  // Sentinels greet each other every two seconds, unless told to hurry (since Redis 7).
  std::string WhatMisses(int sentinel) {
    [[maybe_unused]] const CallResult hurried =
        Ask(sentinel, {"SENTINEL", "DEBUG", "INFO-PERIOD", "100", "PUBLISH-PERIOD", "100"});
    const CallResult seen = Ask(sentinel, {"SENTINEL", "MASTER", kMasterName});
    if (!seen) return fmt::format("sentinel {} does not answer", sentinel);
    const auto value = [&](std::string_view name) -> std::string {
      for (size_t i = 0; i + 1 < seen->items.size(); i += 2) {
        if (seen->items[i].text == name) return seen->items[i + 1].text;
      }
      return {};
    };
    if (value("num-other-sentinels") != std::to_string(kSentinels - 1))
      return fmt::format("sentinel {} does not know the others", sentinel);
    if (value("num-slaves") != std::to_string(parts_.plan.replicas))
      return fmt::format("sentinel {} does not know all replicas", sentinel);
    if (value("flags") != "master")
      return fmt::format("sentinel {} takes the primary for {}", sentinel, value("flags"));
    return {};
  }

  // It says so, and every sentinel leads there: clients may ask any.
  [[nodiscard]] bool IsMaster(int node) const {
    if (AskRole(SocketOf(node)).role != "master") return false;
    for (int number = 1; number <= kSentinels; ++number) {
      const CallResult told = Ask(number, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", kMasterName});
      if (!told || told->items.size() != 2 || told->items[1].text != std::to_string(PortOf(node)))
        return false;
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Replication> MakeWatched(const Replication::Parts& parts) {
  return std::make_unique<Watched>(parts);
}

}  // namespace doublehold
