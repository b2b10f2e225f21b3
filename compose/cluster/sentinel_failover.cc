// Topology `sentinel`: a primary, its replicas, and three sentinels. The sentinels watch the
// servers and vote for a new primary when the old one is silent. All of them reach each other
// through the proxy.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compose/cluster/replication.h"
#include "lib/redis/route.h"

namespace doublehold {
namespace {

// The period in which sentinels publish, first until all know each other and then during the run.
// Sentinels that have not heard of a failover turn a new master back into a replica after four of
// these periods. The sentinel that leads the failover polls the replica only once a second, and
// then tells the others. With a shorter period they would undo a planned failover.
constexpr std::string_view kGreetingsOfStrangersMs = "100";
constexpr std::string_view kGreetingsOfARunMs = "1000";

// The value of a field in a reply of alternating names and values.
std::string FieldOf(const Reply& reply, std::string_view name) {
  for (size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    if (reply.items[i].text == name) return reply.items[i + 1].text;
  }
  return {};
}

class Watched final : public Replication {
 public:
  using Replication::Replication;

  Result<void> Begin() override {
    const std::string port = std::to_string(PortOf(kMasterAddress));
    for (int server = 2; server <= Servers(); ++server) {
      if (!AskServer(SocketOf(server), {"REPLICAOF", parts_.launcher.PeerHost(), port},
                     kPatienceWithNewServers))
        return EnvironmentFailed(fmt::format("node {} refused REPLICAOF", server));
      // From now on the sentinels make the server rewrite its configuration file.
      const std::string config = fmt::format("replicaof {} {}\n", parts_.launcher.PeerHost(), port);
      TRY(parts_.launcher.WriteConfig(server, config));
    }
    return parts_.launcher.StartSentinels();
  }

  std::string WhatIsMissing() override {
    if (std::string missing = WhatReplicasMiss(); !missing.empty()) return missing;
    for (int number = 1; number <= kSentinels; ++number) {
      if (std::string missing = WhatMisses(number); !missing.empty()) return missing;
    }
    for (int number = 1; number <= kSentinels; ++number) Greet(number, kGreetingsOfARunMs);
    // Set at the start: if it were set when the master dies, the vote might come before the
    // sentinels learn of it.
    const auto first = std::ranges::find(parts_.plan.faults, "promote", &FaultPlan::kind);
    if (first != parts_.plan.faults.end() && !Prefer(first->nodes.front()))
      return fmt::format("node {} refused replica-priority", first->nodes.front());
    return {};
  }

  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    const auto until_it_leads = [this, node](std::function<void(bool)> tell) {
      Await([this, node] { return IsMaster(node); }, std::move(tell));
    };
    if (how != Promotion::kPlanned) {
      [[maybe_unused]] const bool preferred = Prefer(node);
      return until_it_leads(std::move(done));
    }
    Await([this, node] { return IsMaster(node) || IsTold(node); },
          [until_it_leads, tell = std::move(done)](bool told) {
            if (!told) return tell(false);
            until_it_leads(tell);
          });
  }

 private:
  // Sentinels greet each other every two seconds. Since Redis 7 the period can be set.
  void Greet(int sentinel, std::string_view period_ms) const {
    [[maybe_unused]] const CallResult hurried =
        Ask(sentinel, {"SENTINEL", "DEBUG", "INFO-PERIOD", "100", "PUBLISH-PERIOD", period_ms});
  }

  // Sentinels prefer the replica with the lowest priority above 0, before they compare what each
  // has received. Returns false if the node does not answer.
  bool Prefer(int node) {
    if (node == preferred_) return true;
    if (!AskServer(SocketOf(node), {"CONFIG", "SET", "replica-priority", "1"})) return false;
    if (preferred_ != 0) {
      [[maybe_unused]] const CallResult told =
          AskServer(SocketOf(preferred_), {"CONFIG", "SET", "replica-priority", "100"});
    }
    preferred_ = node;
    return true;
  }

  // Whether the sentinel that will lead the failover knows the new priority.
  [[nodiscard]] bool IsPreferred(int node) const {
    const CallResult replicas = Ask(1, {"SENTINEL", "REPLICAS", kMasterName});
    if (!replicas) return false;
    return std::ranges::any_of(replicas->items, [&](const Reply& replica) {
      return FieldOf(replica, "port") == std::to_string(PortOf(node)) &&
             FieldOf(replica, "slave-priority") == "1";
    });
  }

  // Returns false while the sentinel has another failover in progress, or considers the node down.
  bool IsTold(int node) {
    return Prefer(node) && IsPreferred(node) &&
           Ask(1, {"SENTINEL", "FAILOVER", kMasterName}).has_value();
  }

  [[nodiscard]] uint16_t PortOf(int server) const {
    return parts_.launcher.PeerPort({0, server, kAnyPeer});
  }
  CallResult Ask(int sentinel, std::initializer_list<std::string_view> command) const {
    return AskServer(parts_.launcher.SentinelSocketOf(sentinel), command);
  }

  std::string WhatMisses(int sentinel) {
    Greet(sentinel, kGreetingsOfStrangersMs);
    const CallResult seen = Ask(sentinel, {"SENTINEL", "MASTER", kMasterName});
    if (!seen) return fmt::format("sentinel {} does not answer", sentinel);
    const auto value = [&](std::string_view name) { return FieldOf(*seen, name); };
    if (value("num-other-sentinels") != std::to_string(kSentinels - 1))
      return fmt::format("sentinel {} does not know the other sentinels", sentinel);
    if (value("num-slaves") != std::to_string(parts_.plan.replicas))
      return fmt::format("sentinel {} does not know all replicas", sentinel);
    if (value("flags") != "master")
      return fmt::format("sentinel {} reports the primary as '{}'", sentinel, value("flags"));
    return {};
  }

  // Whether the node is the master, and every sentinel says so: clients may ask any sentinel.
  [[nodiscard]] bool IsMaster(int node) const {
    if (AskRole(SocketOf(node)).role != "master") return false;
    for (int number = 1; number <= kSentinels; ++number) {
      const CallResult told = Ask(number, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", kMasterName});
      if (!told || told->items.size() != 2 || told->items[1].text != std::to_string(PortOf(node)))
        return false;
    }
    return true;
  }

  int preferred_ = 0;  // the node with the preferred priority; 0: none yet
};

}  // namespace

std::unique_ptr<Replication> MakeWatched(const Replication::Parts& parts) {
  return std::make_unique<Watched>(parts);
}

}  // namespace doublehold
