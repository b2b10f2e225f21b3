#include "compose/plan/service_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "faults/fault.h"
#include "lib/locks/registry.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

constexpr const char* kStore = "store";  // an option of workloads

// A fault of links that names no node acts on all of them.
bool ActsOn(const FaultPlan& fault, bool store) {
  if (fault.nodes.empty()) return FindFault(fault.kind)->needs_network;
  return std::ranges::any_of(fault.nodes, [&](int node) { return (node == kStoreNode) == store; });
}

std::string ExplainNetwork(const Plan& plan, const ServiceFacts& service) {
  if (plan.net != kNamespaces || service.joins_namespaces) return "";
  return fmt::format("servers of {} are not run in namespaces; use net = \"proxy\"", service.title);
}

bool Has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::string_view ServiceOf(const Plan& plan) {
  return plan.driver ? std::string_view(plan.driver->service) : FindLock(plan.lock)->service;
}

std::string_view StoreServiceOf(const Plan& plan) {
  const auto store = plan.workload_options.find(kStore);
  return store == plan.workload_options.end() ? kRedisService : std::string_view(store->second);
}

void AddStore(Plan& plan) {
  const WorkloadEntry* workload = FindWorkload(plan.workload);
  if (workload == nullptr) return;
  for (const OptionSpec& option : workload->options) {
    if (option.name == kStore) plan.workload_options.try_emplace(kStore, kRedisService);
  }
}

const ServiceFacts& FactsOfServiceOf(const Plan& plan) {
  static const ServiceFacts any = [] {
    ServiceFacts facts = FactsOfService(kRedisService);
    for (const TopologyEntry& topology : Topologies()) {
      if (!Has(facts.topologies, topology.name)) facts.topologies.push_back(topology.name);
    }
    facts.elects = true;
    return facts;
  }();
  const std::string_view service = ServiceOf(plan);
  return service.empty() ? any : FactsOfService(service);
}

std::string ExplainLease(const Plan& plan) {
  const ServiceFacts& service = FactsOfServiceOf(plan);
  if (plan.lease < service.shortest_lease)
    return fmt::format("must be at least {}{}", FormatDuration(service.shortest_lease),
                       service.why_shortest);
  if (plan.lease % service.lease_unit == Duration::zero()) return "";
  return fmt::format("must be a multiple of {}{}", FormatDuration(service.lease_unit),
                     service.why_shortest);
}

std::string ExplainSpeed(const Plan& plan) {
  const ServiceFacts& service = FactsOfServiceOf(plan);
  if (plan.speed == 0 || !service.is_static) return "";
  return fmt::format("a server of {} is a static program, whose time cannot run fast",
                     service.title);
}

std::string ExplainStore(const Plan& plan) {
  return ExplainNetwork(plan, FactsOfService(StoreServiceOf(plan)));
}

Incompatibility FindServiceIncompatibility(const Plan& plan) {
  const ServiceFacts& service = FactsOfServiceOf(plan);
  if (!Has(service.topologies, plan.topology)) {
    return {"name", fmt::format("lock {} keeps its keys in {}, which has no topology '{}' (one of: "
                                "{})",
                                plan.lock, service.title, plan.topology,
                                fmt::join(service.topologies, ", "))};
  }
  if (plan.replicas > service.most_replicas) {
    return {"replicas", fmt::format("servers of {} run with at most {} replica{}", service.title,
                                    service.most_replicas, service.most_replicas == 1 ? "" : "s")};
  }
  return {"net", ExplainNetwork(plan, service)};
}

namespace {

// Refuses the fault if it cannot act on servers of this service. `which`: these servers, with a
// verb. `data`: what a restarted server may keep.
Result<void> CheckOn(const FaultPlan& fault, const ServiceFacts& service, const std::string& which,
                     const std::string& server, const std::vector<std::string_view>& data) {
  const FaultEntry& kind = *FindFault(fault.kind);
  std::string why;
  if (!kind.service.empty() && kind.service != service.name) {
    why = fmt::format("it acts on {}, but {} of {}", FactsOfService(kind.service).title, which,
                      service.title);
  } else if (Does(fault, FaultTrait::kRepeats) && !service.repeats) {
    why =
        fmt::format("a connection to {} answers each request once, so that none can be sent twice",
                    service.title);
  } else if (Does(fault, FaultTrait::kMovesClock) && service.is_static) {
    why = fmt::format("a server of {} is a static program, so no clock shim can move its clock",
                      service.title);
  } else if (Does(fault, FaultTrait::kMovesClock) && !service.tells_time) {
    why = fmt::format(
        "a server of {} does not tell its time, so nobody could see whether its clock was moved",
        service.title);
  }
  if (!why.empty()) return BadInput(why, "nodes");
  if (Does(fault, FaultTrait::kTakesOver) && fault.how == "planned" && !service.hands_over) {
    return BadInput(fmt::format("a replica of {} is only promoted by hand", service.title), "how");
  }
  if (Does(fault, FaultTrait::kRestarts) && !Has(data, fault.data)) {
    return BadInput(fmt::format("{} of {} cannot keep '{}' (one of: {})", server, service.title,
                                fault.data, fmt::join(data, ", ")),
                    "data");
  }
  return {};
}

bool HasLeader(const ServiceFacts& service, const TopologyEntry& topology) {
  if (topology.name == "ensemble") return service.elects;
  return topology.HasReplicas() && topology.lead != Lead::kCluster;
}

constexpr std::array kByContainerEngine{FaultTrait::kStops, FaultTrait::kKills,
                                        FaultTrait::kRestarts};

// The run has no access to servers that it did not start, except through a container engine.
Result<void> CheckExternal(const Plan& plan, const FaultPlan& fault) {
  if (!IsExternal(plan) || FindFault(fault.kind)->needs_network) return {};
  if (!ActsOn(fault, /*store=*/false)) return {};
  const auto engine_does = [&](FaultTrait does) { return Does(fault, does); };
  if (!std::ranges::any_of(kByContainerEngine, engine_does)) {
    return BadInput(
        fmt::format(
            "'{}' cannot act on a server that the run did not start; pause, crash and restart "
            "can, with --container",
            fault.kind),
        "nodes");
  }
  if (!plan.containers.empty()) return {};
  return BadInput(fmt::format("'{}' acts on a server that the run did not start; name its "
                              "container (--container, or topology.containers)",
                              fault.kind),
                  "nodes");
}

Result<void> CheckLeader(const Plan& plan, const FaultPlan& fault) {
  if (!NamesLeader(fault)) return {};
  if (fault.nodes.size() > 1)
    return BadInput("it names the leader and other nodes, of which one may lead", "nodes");
  const ServiceFacts& service = FactsOfServiceOf(plan);
  const TopologyEntry& topology = *FindTopology(plan.topology);
  if (!HasLeader(service, topology)) {
    std::vector<std::string_view> with;
    for (const std::string_view name : service.topologies) {
      if (HasLeader(service, *FindTopology(name))) with.push_back(name);
    }
    return BadInput(
        fmt::format("no server of {} leads in topology '{}'{}", service.title, plan.topology,
                    with.empty() ? "" : fmt::format("; use {}", fmt::join(with, " or "))),
        "nodes");
  }
  if (Does(fault, FaultTrait::kTakesOver))
    return BadInput("it promotes a replica, which the leader is not", "nodes");
  const FaultEntry& kind = *FindFault(fault.kind);
  if (topology.lead == Lead::kAddress && kind.needs_network && !kind.needs_replicas)
    return BadInput("clients reach the leader at the address of node 1: use nodes = [1]", "nodes");
  return {};
}

// Servers of an ensemble reach each other past the proxy, so only the kernel can cut them off.
Result<void> CheckBetweenServers(const Plan& plan, const FaultPlan& fault) {
  if (!CutsServers(fault)) return {};
  if (!Has(FindFault(fault.kind)->keys, "between"))
    return BadInput(fmt::format("'{}' does not act between servers; use 'partition'", fault.kind));
  const ServiceFacts& service = FactsOfServiceOf(plan);
  std::string why;
  if (!Has(service.topologies, "ensemble")) {
    why = fmt::format(
        "it acts between servers of an ensemble; for {}, use the fault 'cut-replication'",
        service.title);
  } else if (!service.joins_namespaces) {
    why = fmt::format("servers of {} cannot be cut off from each other", service.title);
  } else if (plan.topology != "ensemble") {
    why = "it acts between servers of an ensemble; set topology.name = \"ensemble\"";
  } else if (plan.net != kNamespaces) {
    why =
        "servers of an ensemble reach each other past the proxy; set topology.net = \"namespaces\"";
  }
  if (!why.empty()) return BadInput(why, "between");
  if (ActsOn(fault, /*store=*/true))
    return BadInput("the store has no links to other servers", "nodes");
  if (static_cast<int>(fault.nodes.size()) == ServersOf(plan))
    return BadInput("it names every server, and leaves none to be cut off from", "nodes");
  return {};
}

}  // namespace

Result<void> CheckService(const Plan& plan, const FaultPlan& fault) {
  TRY(CheckExternal(plan, fault));
  TRY(CheckLeader(plan, fault));
  TRY(CheckBetweenServers(plan, fault));
  if (ActsOn(fault, /*store=*/true)) {
    const ServiceFacts& store = FactsOfService(StoreServiceOf(plan));
    TRY(CheckOn(fault, store, "the store is a server", "the store", store.data));
  }
  if (!ActsOn(fault, /*store=*/false)) return {};
  const ServiceFacts& service = FactsOfServiceOf(plan);
  const bool in_ensemble = plan.topology == "ensemble";
  if (Does(fault, FaultTrait::kMovesClock) && in_ensemble && !service.members_tell_time) {
    return BadInput(fmt::format("in an ensemble of {}, only the leader tells its time, so nobody "
                                "could see whether another server's clock was moved",
                                service.title),
                    "nodes");
  }
  const std::string servers = fmt::format("the nodes of lock {} are servers", plan.lock);
  if (IsExternal(plan)) return CheckOn(fault, service, servers, "a container", {kOwnData});
  const bool is_member = in_ensemble && !service.data_in_ensemble.empty();
  return CheckOn(fault, service, servers, is_member ? "a member of an ensemble" : "a node",
                 is_member ? service.data_in_ensemble : service.data);
}

}  // namespace doublehold
