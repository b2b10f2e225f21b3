#include "compose/plan/service_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "faults/fault.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

// A fault of links that names no node acts on all of them.
bool ActsOnLockNode(const FaultPlan& fault) {
  if (fault.nodes.empty()) return FindFault(fault.kind)->needs_network;
  return std::ranges::any_of(fault.nodes, [](int node) { return node != kStoreNode; });
}

bool Has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::string_view ServiceOf(const Plan& plan) {
  return plan.driver ? std::string_view(plan.driver->service) : FindLock(plan.lock)->service;
}

const ServiceFacts& FactsOfServiceOf(const Plan& plan) {
  static const ServiceFacts any = [] {
    ServiceFacts facts = FactsOfService(kRedisService);
    for (const TopologyEntry& topology : Topologies()) {
      if (!Has(facts.topologies, topology.name)) facts.topologies.push_back(topology.name);
    }
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

Incompatibility FindServiceIncompatibility(const Plan& plan) {
  const ServiceFacts& service = FactsOfServiceOf(plan);
  if (!Has(service.topologies, plan.topology)) {
    return {"name", fmt::format("lock {} keeps its keys in {}, which has no topology '{}' (one of: "
                                "{})",
                                plan.lock, service.title, plan.topology,
                                fmt::join(service.topologies, ", "))};
  }
  if (plan.net == kNamespaces && !service.joins_namespaces) {
    return {"net", fmt::format("servers of {} are not run in namespaces; use net = \"proxy\"",
                               service.title)};
  }
  return {};
}

Result<void> CheckService(const Plan& plan, const FaultPlan& fault) {
  if (!ActsOnLockNode(fault)) return {};
  const ServiceFacts& service = FactsOfServiceOf(plan);
  const FaultEntry& kind = *FindFault(fault.kind);
  if (!kind.service.empty() && kind.service != service.name) {
    return BadInput(fmt::format("it acts on {}, but the nodes of lock {} are servers of {}",
                                FactsOfService(kind.service).title, plan.lock, service.title),
                    "nodes");
  }
  if (Does(fault, FaultTrait::kRepeats) && !service.repeats) {
    return BadInput(fmt::format("a connection to {} answers each request once, so that none can be "
                                "sent twice",
                                service.title),
                    "nodes");
  }
  if (Does(fault, FaultTrait::kMovesClock) && service.is_static) {
    return BadInput(fmt::format("a server of {} is a static program, so no clock shim can move its "
                                "clock",
                                service.title),
                    "nodes");
  }
  if (Does(fault, FaultTrait::kMovesClock) && !service.tells_time) {
    return BadInput(
        fmt::format("a server of {} does not tell its time, so nobody could see whether "
                    "its clock was moved",
                    service.title),
        "nodes");
  }
  const bool is_member = plan.topology == "ensemble" && !service.data_in_ensemble.empty();
  const auto& data = is_member ? service.data_in_ensemble : service.data;
  if (Does(fault, FaultTrait::kRestarts) && !Has(data, fault.data)) {
    return BadInput(fmt::format("{} of {} cannot keep '{}' (one of: {})",
                                is_member ? "a member of an ensemble" : "a node", service.title,
                                fault.data, fmt::join(data, ", ")),
                    "data");
  }
  return {};
}

}  // namespace doublehold
