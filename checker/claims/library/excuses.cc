#include "checker/claims/library/excuses.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "checker/evidence/stall_attribution.h"

namespace doublehold {
namespace {

// Whether every lease has an end, and no watchdog of a library extends it unrecorded.
bool LeasesEnd(const RunFacts& facts) {
  if (!facts.library) return true;
  const auto& can = facts.library->can;
  const auto has = [&can](const char* word) { return std::ranges::find(can, word) != can.end(); };
  return has("lease") && !has("watchdog");
}

bool MayQueue(const RunFacts& facts) {
  return facts.nodes <= 1 && (facts.library || KeepsQueue(facts));
}

// Whether a request that the fault delayed or repeated may block a key for long: by an endless
// lease, or in a queue. The history does not record which libraries keep a queue. A stopped client
// repeats nothing, and its delays end with the fault.
bool MayLinger(const RunFacts& facts, const FaultEpisode& episode) {
  const FaultFact& fault = facts.faults[static_cast<size_t>(episode.fault)];
  if (MovesAClock(fault) || LosesData(fault) || !LeasesEnd(facts)) return true;
  const bool only_stopped =
      episode.client > 0 && TraitsOf(fault).HasAny({FaultTrait::kStops, FaultTrait::kSlows});
  return MayQueue(facts) && !only_stopped;
}

// The lock servers that the fault acts on, if it acts on nothing else.
std::set<int> TargetNodesOnly(const RunFacts& facts, const FaultEpisode& episode) {
  const FaultFact& fault = facts.faults[static_cast<size_t>(episode.fault)];
  std::set<int> nodes(fault.nodes.begin(), fault.nodes.end());
  if (episode.node >= 0) nodes.insert(episode.node);
  const bool others = std::ranges::any_of(nodes, [&](int n) { return n < 1 || n > facts.nodes; });
  return others || episode.client >= 0 ? std::set<int>{} : nodes;
}

}  // namespace

std::optional<int64_t> Disturbances::OverSince(const Span& when, int32_t client) const {
  for (const FaultEpisode* episode : scene_.EpisodesWithin({0, when.to_ns})) {
    if (MayLinger(facts_, *episode)) return std::nullopt;
  }
  if (NoMajorityIsLeft(when.to_ns)) return std::nullopt;
  int64_t since_ns = when.from_ns;
  std::set<int> hit;
  int64_t of_nodes_ns = since_ns;
  for (const FaultEpisode* episode : scene_.EpisodesWithin(when)) {
    const std::set<int> nodes = TargetNodesOnly(facts_, *episode);
    hit.insert(nodes.begin(), nodes.end());
    int64_t& over_ns = nodes.empty() ? since_ns : of_nodes_ns;
    over_ns = std::max(over_ns, episode->to_ns);
  }
  const bool a_majority_is_left = facts_.nodes - static_cast<int>(hit.size()) > facts_.nodes / 2;
  if (!a_majority_is_left) since_ns = std::max(since_ns, of_nodes_ns);
  for (const Stall* stall : scene_.StallsWithin(when)) {
    // On several nodes, a stalled client may hold a part of the key. In a queue, it may be first.
    const bool by_another = stall->client > 0 && (facts_.nodes > 1 || MayQueue(facts_));
    const bool in_the_way = by_another || CanDelay(*stall, client);
    const bool is_long = stall->when.to_ns - stall->when.from_ns > ToNs(facts_.grace) / 2;
    if (in_the_way && is_long) since_ns = std::max(since_ns, stall->when.to_ns);
  }
  return since_ns;
}

// A server that was killed for good stays away, although its fault ends at once.
bool Disturbances::NoMajorityIsLeft(int64_t by_ns) const {
  std::set<int> gone;
  for (const FaultEpisode* episode : scene_.EpisodesWithin({0, by_ns})) {
    if (!IsCrash(facts_.faults[static_cast<size_t>(episode->fault)])) continue;
    const std::set<int> nodes = TargetNodesOnly(facts_, *episode);
    gone.insert(nodes.begin(), nodes.end());
  }
  return !gone.empty() && facts_.nodes - static_cast<int>(gone.size()) <= facts_.nodes / 2;
}

}  // namespace doublehold
