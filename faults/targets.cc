#include "faults/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "lib/base/words.h"

namespace doublehold {
namespace {

using ProcessKind = ProcessRef::Kind;

void AddClients(std::vector<ProcessRef>& processes, int client, int clients) {
  if (client != 0) {
    processes.push_back({ProcessKind::kClient, client});
    return;
  }
  for (int i = 1; i <= clients; ++i) processes.push_back({ProcessKind::kClient, i});
}

// Adds the links between the plan's nodes and all other servers.
void AddPeers(std::vector<LinkId>& links, const FaultStart& start) {
  const std::vector<int>& nodes = start.plan.nodes;
  for (const int node : nodes) {
    for (int peer = 1; peer <= start.nodes; ++peer) {
      if (std::ranges::find(nodes, peer) == nodes.end()) links.push_back({0, node, peer});
    }
  }
}

// The rules that one start of a fault has set.
struct SetRules {
  Cluster& cluster;
  std::vector<RuleId> ids;
  size_t below_limit = 0;

  // Removes all rules and returns their combined report.
  RuleReport Clear() {
    RuleReport all;
    for (const RuleId id : std::exchange(ids, {})) {
      const RuleReport one = cluster.ClearLink(id);
      all.frames += one.frames;
      all.longest_delay = std::max(all.longest_delay, one.longest_delay);
    }
    return all;
  }
};

std::shared_ptr<SetRules> SetOnLinks(Cluster& cluster, const FaultStart& start,
                                     const std::vector<Direction>& directions,
                                     const LinkRule& rule) {
  auto set = std::make_shared<SetRules>(SetRules{cluster, {}, 0});
  const std::vector<LinkId> links = LinksOf(start);
  set->below_limit = links.size() * directions.size();
  for (const LinkId& link : links) {
    for (const Direction direction : directions) {
      LinkRule one = rule;
      one.direction = direction;
      one.command = start.plan.command;
      one.key = start.plan.key;
      one.nth = start.plan.nth;
      one.chance = start.plan.chance;
      if (rule.limit > 0) {
        one.on_limit_reached = [set = set.get(), on_limit_reached = start.on_limit_reached] {
          if (--set->below_limit == 0 && on_limit_reached) on_limit_reached();
        };
      }
      set->ids.push_back(cluster.SetLink(link, std::move(one)));
    }
  }
  return set;
}

}  // namespace

std::vector<LinkId> LinksOf(const FaultStart& start) {
  if (!start.plan.links.empty()) {
    std::vector<LinkId> listed;
    for (const Link& link : start.plan.links) listed.push_back({link.client, link.node});
    return listed;
  }
  std::vector<LinkId> links;
  if (CutsServers(start.plan)) AddPeers(links, start);
  if (start.plan.between == "servers") return links;
  std::vector<int> nodes = start.plan.nodes;
  if (nodes.empty()) {
    nodes.push_back(kStoreNode);
    for (int node = 1; node <= start.nodes; ++node) nodes.push_back(node);
  }
  std::vector<ProcessRef> clients;
  AddClients(clients, CutsServers(start.plan) ? 0 : start.client, start.clients);
  for (const ProcessRef& client : clients) {
    for (const int node : nodes) links.push_back({client.number, node});
  }
  return links;
}

std::vector<ProcessRef> ProcessesOf(const FaultStart& start) {
  std::vector<ProcessRef> processes;
  if (start.plan.client || start.plan.nodes.empty()) {
    AddClients(processes, start.client, start.clients);
  }
  for (const int node : start.plan.nodes) processes.push_back({ProcessKind::kNode, node});
  return processes;
}

std::vector<ProcessRef> AliveOf(Cluster& cluster, const FaultStart& start) {
  std::vector<ProcessRef> processes = ProcessesOf(start);
  std::erase_if(processes, [&](const ProcessRef& process) { return !cluster.IsAlive(process); });
  return processes;
}

std::vector<Direction> DirectionsOf(const FaultPlan& plan, std::string_view fallback) {
  const std::string_view name = plan.direction.empty() ? fallback : plan.direction;
  if (name == "request") return {Direction::kRequest};
  if (name == "reply") return {Direction::kReply};
  return {Direction::kRequest, Direction::kReply};
}

Healer StartOnLinks(Cluster& cluster, const FaultStart& start,
                    const std::vector<Direction>& directions, const LinkRule& rule) {
  return Healer([set = SetOnLinks(cluster, start, directions, rule)] {
    const RuleReport done = set->Clear();
    return done.frames == 0 ? kDidNotAct : AtLeastActed(done.longest_delay);
  });
}

Healer StartTimedOnLinks(Cluster& cluster, const FaultStart& start,
                         const std::vector<Direction>& directions, const LinkRule& rule) {
  return Healer([set = SetOnLinks(cluster, start, directions, rule), began = cluster.Now()] {
    const RuleReport done = set->Clear();
    return done.frames == 0 ? kDidNotAct : AtLeastActed(set->cluster.Now() - began);
  });
}

tl::unexpected<Error> BadFault(const FaultPlan& plan, std::string_view problem,
                               std::string setting) {
  return BadInput(fmt::format("fault '{}' ({}): {}", plan.name, plan.kind, problem),
                  std::move(setting));
}

Result<void> ValidateLinkFault(const FaultPlan& plan) {
  const std::vector<std::string> directions{"request", "reply", "both"};
  if (!plan.direction.empty() &&
      std::find(directions.begin(), directions.end(), plan.direction) == directions.end()) {
    return BadFault(plan, UnknownWord("direction", plan.direction, directions), "direction");
  }
  if (plan.count < 0) {
    return BadFault(plan, fmt::format("count is {}: it must not be negative", plan.count), "count");
  }
  if (plan.nth < 1) {
    return BadFault(plan, fmt::format("nth is {}: frames are counted from 1", plan.nth), "nth");
  }
  if (plan.chance <= 0 || plan.chance > 1) {
    return BadFault(
        plan, fmt::format("chance is {}: it must be above 0 and at most 1", plan.chance), "chance");
  }
  return {};
}

Result<void> ValidateProcessFault(const FaultPlan& plan) {
  if (plan.client || plan.on || !plan.nodes.empty()) return {};
  return BadFault(plan, "has no target: name a client, or nodes, or a step of a client (on)");
}

std::string NameClient(const FaultPlan& plan) {
  const int client = plan.client.value_or(plan.on ? plan.on->client : 0);
  if (client != 0) return fmt::format("client {}", client);
  return !plan.client && plan.on ? "the client" : "every client";
}

std::string NameNodes(const FaultPlan& plan) {
  if (plan.nodes.empty()) return "every node and the store";
  if (NamesLeader(plan)) return "the leader";
  std::vector<std::string> names;
  for (const int node : plan.nodes) {
    if (node != kStoreNode) names.push_back(fmt::format("{}", node));
  }
  const std::string_view kind = names.empty() ? "" : (names.size() == 1 ? "node " : "nodes ");
  if (names.size() < plan.nodes.size()) names.emplace_back("the store");
  std::string text(kind);
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string NameShift(Duration by) {
  return by < Duration{} ? "back by " + FormatDuration(-by) : "ahead by " + FormatDuration(by);
}

std::string NameProcesses(const FaultPlan& plan) {
  if (plan.nodes.empty()) return NameClient(plan);
  return plan.client ? NameClient(plan) + " and " + NameNodes(plan) : NameNodes(plan);
}

std::string NameTraffic(const FaultPlan& plan, std::string_view fallback_direction, int count) {
  const std::string_view direction = plan.direction.empty() ? fallback_direction : plan.direction;
  const bool is_single = count == 1 && plan.nth > 1;
  std::string number = count > 0 ? fmt::format("{} ", count) : "";
  if (is_single) number = "the " + Ordinal(plan.nth) + " ";
  const std::string about =
      (plan.command.empty() ? "" : " " + plan.command) +
      (plan.key.empty()
           ? ""
           : fmt::format("{}key '{}'", plan.command.empty() ? " for " : " of ", plan.key));
  const std::string request = fmt::format("{}request{}{}", number, count == 1 ? "" : "s", about);
  const std::string reply = fmt::format("{}{}{}{}", number, count == 1 ? "reply" : "replies",
                                        plan.command.empty() ? "" : " to", about);
  const std::string client = NameClient(plan);
  const std::string nodes = NameNodes(plan);
  std::string text;
  if (direction == "request") {
    text = fmt::format("{} from {} to {}", request, client, nodes);
  } else if (direction == "reply") {
    text = fmt::format("{} from {} to {}", reply, nodes, client);
  } else {
    text = fmt::format("{} and {} between {} and {}", request, reply, client, nodes);
  }
  if (plan.nth > 1 && !is_single) text += fmt::format(" (from the {} on)", Ordinal(plan.nth));
  if (plan.chance < 1) text += fmt::format(" (each with a chance of {:g})", plan.chance);
  return text;
}

}  // namespace doublehold
