// Topology `sentinel`: a primary, its replicas, and three sentinels. The sentinels watch the
// servers and vote for a new primary when the old primary is silent. Servers and sentinels reach
// each other through the proxy.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compose/cluster/redis/redis_question.h"
#include "compose/cluster/redis/redis_servers.h"
#include "compose/cluster/redis/replication.h"
#include "compose/cluster/redis/server.h"
#include "lib/redis/route.h"

namespace doublehold {
namespace {

// The periods in which sentinels publish: until all know each other, and during the run. Sentinels
// that do not know of a failover turn the new master back into a replica after four periods. The
// sentinel that leads the failover polls the replica only once a second, and then publishes the
// result. With a shorter period, the other sentinels would undo a planned failover.
constexpr std::string_view kPublishPeriodBeforeTheRunMs = "100";
constexpr std::string_view kPublishPeriodInTheRunMs = "1000";

// Returns the value of a field in a reply of alternating names and values.
std::string FindField(const Reply& reply, std::string_view name) {
  for (size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    if (reply.items[i].text == name) return reply.items[i + 1].text;
  }
  return {};
}

class SentinelFailover final : public Replication {
 public:
  using Replication::Replication;

  Result<void> Begin() override {
    const std::string port = std::to_string(PortOf(kMasterAddress));
    for (int server = 2; server <= Servers(); ++server) {
      if (!AskServer(SocketOf(server), {"REPLICAOF", parts_.servers.PeerHost(), port},
                     kPatienceWithNewServers))
        return EnvironmentFailed(fmt::format("node {} refused REPLICAOF", server));
      // Later, the sentinels make the server rewrite this configuration file.
      const std::string config = fmt::format("replicaof {} {}\n", parts_.servers.PeerHost(), port);
      TRY(parts_.servers.WriteConfig(server, config));
    }
    return parts_.servers.StartSentinels();
  }

  std::string FindMissing() override {
    if (std::string missing = FindMissingAtReplicas(); !missing.empty()) return missing;
    for (int number = 1; number <= kSentinels; ++number) {
      if (std::string missing = WhatMisses(number); !missing.empty()) return missing;
    }
    for (int number = 1; number <= kSentinels; ++number)
      SetPublishPeriod(number, kPublishPeriodInTheRunMs);
    // The priority is set at the start. If it were set when the master dies, the sentinels might
    // vote before they know the priority.
    const auto first = std::ranges::find(parts_.plan.faults, "promote", &FaultPlan::kind);
    if (first != parts_.plan.faults.end() && !Prefer(first->nodes.front()))
      return fmt::format("node {} refused replica-priority", first->nodes.front());
    return {};
  }

  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    const auto until_it_leads = [this, node](std::function<void(bool)> on_done) {
      Await([this, node] { return IsMaster(node); }, std::move(on_done));
    };
    if (how != Promotion::kPlanned) {
      [[maybe_unused]] const bool preferred = Prefer(node);
      return until_it_leads(std::move(done));
    }
    Await([this, node] { return IsMaster(node) || RequestFailover(node); },
          [until_it_leads, on_done = std::move(done)](bool told) {
            if (!told) return on_done(false);
            until_it_leads(on_done);
          });
  }

 private:
  // Sets the period in which a sentinel publishes. The default is two seconds; only Redis 7 and
  // later can change it.
  void SetPublishPeriod(int sentinel, std::string_view period_ms) const {
    [[maybe_unused]] const CallResult hurried =
        Ask(sentinel, {"SENTINEL", "DEBUG", "INFO-PERIOD", "100", "PUBLISH-PERIOD", period_ms});
  }

  // Makes the sentinels prefer this node: they promote the replica with the lowest priority above
  // 0, whatever data it has received. Returns false if the node does not answer.
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

  // Whether sentinel 1, which will lead the failover, knows the new priority.
  [[nodiscard]] bool IsPreferred(int node) const {
    const CallResult replicas = Ask(1, {"SENTINEL", "REPLICAS", kMasterName});
    if (!replicas) return false;
    return std::ranges::any_of(replicas->items, [&](const Reply& replica) {
      return FindField(replica, "port") == std::to_string(PortOf(node)) &&
             FindField(replica, "slave-priority") == "1";
    });
  }

  // Asks sentinel 1 for a failover to the node. Returns false while the sentinel has another
  // failover in progress, or considers the node down.
  bool RequestFailover(int node) {
    return Prefer(node) && IsPreferred(node) &&
           Ask(1, {"SENTINEL", "FAILOVER", kMasterName}).has_value();
  }

  [[nodiscard]] uint16_t PortOf(int server) const {
    return parts_.servers.PeerPort({0, server, kAnyPeer});
  }
  CallResult Ask(int sentinel, std::initializer_list<std::string_view> command) const {
    return AskServer(parts_.servers.SentinelSocketOf(sentinel), command);
  }

  std::string WhatMisses(int sentinel) {
    SetPublishPeriod(sentinel, kPublishPeriodBeforeTheRunMs);
    const CallResult seen = Ask(sentinel, {"SENTINEL", "MASTER", kMasterName});
    if (!seen) return fmt::format("sentinel {} does not answer", sentinel);
    const auto value = [&](std::string_view name) { return FindField(*seen, name); };
    if (value("num-other-sentinels") != std::to_string(kSentinels - 1))
      return fmt::format("sentinel {} does not know the other sentinels", sentinel);
    if (value("num-slaves") != std::to_string(parts_.plan.replicas))
      return fmt::format("sentinel {} does not know all replicas", sentinel);
    if (value("flags") != "master")
      return fmt::format("sentinel {} reports the primary as '{}'", sentinel, value("flags"));
    return {};
  }

  // Whether the node is the master, and every sentinel reports it as the master. Clients may ask
  // any sentinel.
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

std::unique_ptr<Replication> MakeSentinelFailover(const Replication::Parts& parts) {
  return std::make_unique<SentinelFailover>(parts);
}

}  // namespace doublehold
