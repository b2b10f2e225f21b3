// partition: cuts one client or every client off from `nodes`, or cuts exactly the listed links,
// until it is healed. When the plan is made, `sides` is replaced by such links. Dropped frames
// never arrive. A partition with a direction is one-way: with "reply", commands run but their
// replies are lost.
//
// With `between`, it cuts `nodes` off from the other servers of an ensemble, which only the kernel
// can do: these servers reach each other past the proxy.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "faults/targets.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr std::string_view kPartitionDirection = "both";

Result<void> ValidatePartition(const FaultPlan& plan) {
  if (plan.nodes.empty() && plan.links.empty()) {
    return BadFault(plan,
                    "needs the nodes that are cut off (nodes), or how the links are split (sides)");
  }
  if (!plan.links.empty() && (plan.client || !plan.nodes.empty())) {
    return BadFault(plan, "has links: remove client and nodes", "links");
  }
  const std::vector<std::string> ends{"clients", "servers", "all"};
  if (!plan.between.empty() && std::ranges::find(ends, plan.between) == ends.end())
    return BadFault(plan, UnknownWord("value", plan.between, ends), "between");
  if (!plan.between.empty() && !plan.links.empty())
    return BadFault(plan, "has links: remove between", "between");
  if (CutsServers(plan) && plan.client) {
    return BadFault(plan, "acts on servers and on no single client: remove client", "client");
  }
  return ValidateLinkFault(plan);
}

Healer StartPartition(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartTimedOnLinks(cluster, start, DirectionsOf(start.plan, kPartitionDirection),
                           {.action = LinkRule::Action::kDrop});
}

// Returns "client 1 cut off from nodes 4 and 5, client 2 from node 1".
std::string NameLinks(const std::vector<Link>& links) {
  std::map<int, std::vector<int>> by_client;
  for (const Link& link : links) by_client[link.client].push_back(link.node);
  std::string text;
  for (const auto& [client, nodes] : by_client) {
    text += fmt::format("{}client {}{} from {}", text.empty() ? "" : ", ", client,
                        text.empty() ? " cut off" : "", NameNodes({.nodes = nodes}));
  }
  return text;
}

// Returns "the leader cut off from the other servers". `direction` is seen from the other ends.
std::string DescribeIsolation(const FaultPlan& plan) {
  std::string text = NameNodes(plan) + " cut off from ";
  if (plan.between == "all") text += "every client and ";
  text += "the other servers";
  if (plan.direction == "request") text += " (what they send alone)";
  if (plan.direction == "reply") text += " (what they receive alone)";
  return text;
}

std::string DescribePartition(const FaultPlan& plan) {
  if (CutsServers(plan)) return DescribeIsolation(plan);
  const std::string who = plan.links.empty() ? NameClient(plan) + " cut off from " + NameNodes(plan)
                                             : NameLinks(plan.links);
  if (plan.direction == "request") return who + " (requests alone)";
  if (plan.direction == "reply") return who + " (replies alone)";
  return who;
}

}  // namespace

FaultEntry PartitionFault() {
  return {.name = "partition",
          .summary = "cuts nodes off from clients or other servers, in both directions or one",
          .traits = {FaultTrait::kLosesMessages, FaultTrait::kKeepsMessages, FaultTrait::kCutsOff},
          .keys = {"client", "nodes", "sides", "links", "between", "direction"},
          .direction = kPartitionDirection,
          .needs_network = true,
          .validate = ValidatePartition,
          .start = StartPartition,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .what = DescribePartition};
}

}  // namespace doublehold
