#include "compose/plan/topology_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "compose/plan/endpoint.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/service_rules.h"
#include "lib/base/words.h"
#include "lib/clock/time_speed.h"

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 2> kNets{"proxy", kNamespaces};
constexpr int kMostNodes = 15;
constexpr int kUsualQuorum = 5;
// Long enough for about ten pings between two servers.
constexpr Duration kShortestDownAfter = 100ms;
constexpr Duration kLongestPacketDelay = 10s;
constexpr Duration kLongestDownAfter = std::chrono::minutes(1);

// Says why the servers that somebody else has started cannot be used.
Incompatibility FindEndpointIncompatibility(const Plan& plan) {
  if (!IsExternal(plan)) {
    if (plan.endpoints.empty() && plan.containers.empty() && !plan.owns_servers) return {};
    return {!plan.endpoints.empty()    ? "endpoints"
            : !plan.containers.empty() ? "containers"
                                       : "i-own-this-server",
            fmt::format("the servers of '{}' are started by the run; use topology external",
                        plan.topology)};
  }
  if (std::ssize(plan.endpoints) != plan.nodes)
    return {plan.endpoints.empty() ? "name" : "nodes",
            fmt::format("'external' has one --endpoint for each node: {} for {} {}",
                        plan.endpoints.size(), plan.nodes, plan.nodes == 1 ? "node" : "nodes")};
  std::set<std::string> places;
  for (const std::string& url : plan.endpoints) {
    const Result<Endpoint> endpoint = ParseEndpoint(url);
    if (!endpoint) return {"endpoints", endpoint.error().message};
    if (!places.insert(Place(*endpoint)).second)
      return {"endpoints", fmt::format("{} is named twice; nodes must be servers of their own",
                                       Place(*endpoint))};
  }
  if (!plan.containers.empty() && plan.containers.size() != plan.endpoints.size())
    return {"containers", fmt::format("{} for {} endpoint{}; name one for each, in the same order",
                                      plan.containers.size(), plan.endpoints.size(),
                                      plan.endpoints.size() == 1 ? "" : "s")};
  for (const std::string& name : plan.containers) {
    // Never taken for an option of the engine's command.
    if (!IsPlainName(name) || name.starts_with('-'))
      return {"containers", fmt::format("'{}' is not a name of a container", Shortened(name))};
    if (std::ranges::count(plan.containers, name) > 1)
      return {"containers", fmt::format("'{}' is named twice", name)};
  }
  if (plan.direct)
    return {"direct",
            "clients reach the servers of 'external' only through the proxy, which "
            "guards them; remove 'direct'"};
  if (plan.net == kNamespaces)
    return {"net", "the servers of 'external' are in no namespace of the run; use net = \"proxy\""};
  if (!plan.server.empty())
    return {"server", "the servers of 'external' run already; remove 'server'"};
  if (plan.speed != 0)
    return {"name", "time can run fast only on servers that the run starts; remove 'speed'"};
  return {};
}

// Says why a driver cannot use this topology. A driver knows only addresses.
Incompatibility FindDriverIncompatibility(const Plan& plan) {
  if (FindTopology(plan.topology)->FailsOver()) {
    return {"name", fmt::format("a driver receives the nodes' addresses, not which node of '{}' is "
                                "the master; use single, independent or replicated",
                                plan.topology)};
  }
  if (plan.direct && plan.net != kNamespaces) {
    return {"direct",
            "a driver connects over TCP, and the servers themselves listen on unix sockets only; "
            "remove 'direct'"};
  }
  return {};
}

// Says why the lock cannot run on this topology.
Incompatibility FindLockIncompatibility(const Plan& plan, const LockEntry& lock) {
  if (plan.driver) {
    if (Incompatibility incompatibility = FindDriverIncompatibility(plan);
        !incompatibility.why.empty())
      return incompatibility;
  }
  for (const auto& find : {FindServiceIncompatibility, FindEndpointIncompatibility}) {
    if (Incompatibility incompatibility = find(plan); !incompatibility.why.empty())
      return incompatibility;
  }
  const int seen = LockNodesOf(plan);
  const auto wait = plan.lock_options.find("wait-replicas");
  const int64_t awaited = wait == plan.lock_options.end() ? 0 : std::stoll(wait->second);
  if (seen < lock.least_nodes || seen > lock.most_nodes) {
    const std::string needs =
        lock.least_nodes == lock.most_nodes
            ? fmt::format("exactly {} node", lock.least_nodes)
            : fmt::format("{} to {} nodes", lock.least_nodes, lock.most_nodes);
    if (FindTopology(plan.topology)->HasReplicas()) {
      return {"name",
              fmt::format(
                  "lock {} uses {}, which must be independent: use topology independent, not '{}'",
                  plan.lock, needs, plan.topology)};
    }
    return {"nodes", fmt::format("lock {} uses {}, not {}", plan.lock, needs, seen)};
  }
  if (awaited > plan.replicas) {
    return {"replicas",
            fmt::format(
                "wait-replicas is {}, but a node of '{}' has {} replicas: every acquire would fail",
                awaited, plan.topology, plan.replicas)};
  }
  return {};
}

// Returns the topology of so many servers if the experiment names none.
std::string_view UsualTopology(const Plan& plan) {
  if (plan.nodes == 1) return "single";
  const std::vector<std::string_view>& known = FactsOfServiceOf(plan).topologies;
  for (const std::string_view topology : {"independent", "ensemble"}) {
    if (std::ranges::find(known, topology) != known.end()) return topology;
  }
  return "single";
}

}  // namespace

Incompatibility FindIncompatibility(const Plan& plan, const LockEntry& lock) {
  Incompatibility incompatibility = WhyWrongSize(plan);
  return incompatibility.why.empty() ? FindLockIncompatibility(plan, lock) : incompatibility;
}

void ReadTopology(SettingReader& reader, const LockEntry& lock, Plan& plan) {
  // Reads these settings even if no topology is named, so that a misspelt setting gets a
  // suggestion.
  const bool named = reader.Word("topology.name").has_value();
  const bool has_endpoints = reader.settings().Has("topology.endpoints");
  plan.endpoints = reader.Words("topology.endpoints");
  if (has_endpoints && plan.endpoints.empty()) reader.Fail("topology.endpoints", "names no server");
  plan.containers = reader.Words("topology.containers");
  plan.owns_servers = reader.Flag("topology.i-own-this-server", false);
  if (!plan.endpoints.empty()) plan.topology = kExternal;
  if (named) plan.topology = reader.Known("topology.name", "topology", "", ListNames(Topologies()));
  const TopologyEntry* topology = FindTopology(plan.topology);
  if (named && topology == nullptr) return;
  const bool is_one = topology != nullptr && topology->most_nodes == 1;
  const bool by_lock =
      topology == nullptr || topology->is_many || (is_one && !topology->HasReplicas());
  const int usual = !plan.endpoints.empty() ? static_cast<int>(plan.endpoints.size())
                    : by_lock               ? (lock.least_nodes > 1 ? kUsualQuorum : 1)
                                            : topology->usual_nodes;
  plan.nodes = static_cast<int>(reader.Integer("topology.nodes", usual, 1, kMostNodes));
  if (topology == nullptr) {
    plan.topology = UsualTopology(plan);
    if (plan.topology == "single" && plan.nodes > 1) {
      reader.Fail("topology.nodes",
                  fmt::format("lock {} uses exactly 1 node, not {}", plan.lock, plan.nodes));
      plan.nodes = 1;
    }
  }
  topology = FindTopology(plan.topology);
  plan.replicas = static_cast<int>(
      reader.Integer("topology.replicas", topology->HasReplicas() ? 1 : 0, 0, kMostReplicas));
  plan.server = reader.Word("topology.server").value_or("");
  const auto speed = static_cast<int>(reader.Integer("speed", 1, 1, kMostSpeed));
  plan.speed = speed == 1 ? 0 : speed;
  if (const std::string why = ExplainSpeed(plan); !why.empty()) reader.Fail("speed", why);
  plan.direct = reader.Flag("topology.direct", false);
  plan.net = reader.Known("topology.net", "network", "proxy", {kNets.begin(), kNets.end()});
  plan.packet_delay = reader.Span("topology.packet-delay", "0s");
  if (plan.packet_delay > kLongestPacketDelay)
    reader.Fail("topology.packet-delay", "must be from 0s to 10s");
  if (plan.packet_delay > Duration::zero() && plan.net != kNamespaces) {
    reader.Fail(
        "topology.packet-delay",
        "needs net = \"namespaces\"; or use the fault 'delay', which delays commands in the proxy");
  }
  if (topology->FailsOver()) {
    plan.down_after = reader.Span("topology.down-after", "500ms");
    if (plan.down_after < kShortestDownAfter || plan.down_after > kLongestDownAfter)
      reader.Fail("topology.down-after", "must be from 100ms to 1m");
  }
  if (!topology->FailsOver() && reader.settings().Has("topology.down-after")) {
    reader.Fail(
        "topology.down-after",
        fmt::format(
            "the servers of '{}' do not detect that another is down; use sentinel or cluster",
            plan.topology));
  }
  const Incompatibility incompatibility = FindIncompatibility(plan, lock);
  if (incompatibility.why.empty()) return;
  std::string setting = "topology." + incompatibility.setting;
  // The endpoints set the topology and the number of nodes, if nothing else does.
  if (!plan.endpoints.empty() && !reader.settings().Has(setting)) setting = "topology.endpoints";
  reader.Fail(setting, incompatibility.why);
}

std::string_view FindTopologyFieldOutOfRange(const Plan& plan) {
  if (plan.speed < 0 || plan.speed > kMostSpeed) return "speed";
  if (plan.nodes < 1 || plan.nodes > kMostNodes) return "nodes";
  if (std::ranges::find(kNets, std::string_view(plan.net)) == kNets.end()) return "net";
  const Duration longest_delay = plan.net == kNamespaces ? kLongestPacketDelay : Duration::zero();
  if (plan.packet_delay < Duration::zero() || plan.packet_delay > longest_delay)
    return "packet_delay_ns";
  const bool down_after_is_good =
      FindTopology(plan.topology)->FailsOver()
          ? plan.down_after >= kShortestDownAfter && plan.down_after <= kLongestDownAfter
          : plan.down_after == Duration::zero();
  return down_after_is_good ? "" : "down_after_ns";
}

}  // namespace doublehold
