#include "faults/plans/sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace doublehold {
namespace {

constexpr int kLeastNodes = 3;  // fewer nodes have no minority

std::vector<int> NodesOutsideRing(int client, int nodes) {
  const int reached = nodes / 2 + 1;
  std::vector<int> outside;
  for (int step = reached; step < nodes; ++step) {
    outside.push_back(1 + (client - 1 + step) % nodes);
  }
  std::ranges::sort(outside);
  return outside;
}

}  // namespace

std::vector<std::string> SideNames() { return {"minority", "majority", "ring"}; }

std::vector<int> DrawNodes(int count, int nodes, Prng& random) {
  std::vector<int> all;
  for (int node = 1; node <= nodes; ++node) all.push_back(node);
  for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.Below(i)]);
  all.resize(static_cast<size_t>(std::min(count, nodes)));
  std::ranges::sort(all);
  return all;
}

Result<std::vector<Link>> CutLinks(std::string_view sides, int client, const Plan& plan,
                                   Prng& random) {
  if (plan.nodes < kLeastNodes) {
    return BadInput(fmt::format("'{}' needs {} nodes or more, not {}: use 'nodes' instead", sides,
                                kLeastNodes, plan.nodes));
  }
  const int majority = plan.nodes / 2 + 1;
  const std::vector<int> drawn =
      DrawNodes(sides == "majority" ? majority : plan.nodes - majority, plan.nodes, random);
  std::vector<Link> links;
  for (int one = 1; one <= plan.clients; ++one) {
    if (client != 0 && client != one) continue;
    for (const int node : sides == "ring" ? NodesOutsideRing(one, plan.nodes) : drawn) {
      links.push_back({.client = one, .node = node});
    }
  }
  return links;
}

}  // namespace doublehold
