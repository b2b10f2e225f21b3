#include "checker/claims/library/excuses.h"

#include <algorithm>
#include <set>

#include "checker/evidence/library.h"
#include "checker/evidence/stall_attribution.h"

namespace doublehold {
namespace {

bool MayQueue(const RunFacts& facts) {
  return facts.nodes <= 1 && (facts.library || KeepsQueue(facts));
}

bool OnlyStopsClient(const FaultEpisode& episode, const FaultFact& fault) {
  return episode.client > 0 && !ActsOnLockServers(episode, fault) &&
         TraitsOf(fault).HasAny({FaultTrait::kStops, FaultTrait::kSlows});
}

// Whether the fault may block a key long after the fault's end. A moved clock or lost data may
// block it. A request that the fault delayed or repeated may block it with an endless lease, or in
// a queue. The history does not record which libraries keep a queue. A stopped client repeats no
// request, and its delays end with the fault.
bool MayLinger(const RunFacts& facts, const FaultEpisode& episode) {
  const FaultFact& fault = FaultFor(facts, episode);
  if (MovesAClock(fault) || LosesData(fault) || !LeasesEnd(facts)) return true;
  return MayQueue(facts) && !OnlyStopsClient(episode, fault);
}

// Returns the lock servers on which the fault acts. Empty if they are not known.
std::set<int> TargetNodes(const RunFacts& facts, const FaultEpisode& episode) {
  const FaultFact& fault = FaultFor(facts, episode);
  if (!ActsOnLockServers(episode, fault)) return {};
  std::set<int> nodes(fault.nodes.begin(), fault.nodes.end());
  if (episode.node >= 0) nodes.insert(episode.node);
  std::erase_if(nodes, [&](int node) { return node < 1 || node > facts.nodes; });
  return nodes;
}

bool LeavesAMajority(const RunFacts& facts, const std::set<int>& without) {
  return facts.nodes - static_cast<int>(without.size()) > facts.nodes / 2;
}

}  // namespace

Excuses::Excuses(const Evidence& evidence, bool (*counts)(const FaultFact&))
    : evidence_(evidence), disturbances_(evidence.disturbances()), counts_(counts) {
  const Disturbances& disturbances = disturbances_;
  // After such a stall, a server may have carried out an acquire twice (second_copies.h).
  for (const Stall& stall : disturbances.stalls) {
    if (LeasesEnd(disturbances.facts) || !IsLong(disturbances.facts, stall)) continue;
    lingers_from_ns_ = std::min(lingers_from_ns_, stall.when.from_ns);
  }
  for (const FaultEpisode& episode : disturbances.episodes) {
    const FaultFact& fault = FaultFor(disturbances.facts, episode);
    if (!Counts(episode) || episode.to_ns <= 0) continue;
    if (MayLinger(disturbances.facts, episode))
      lingers_from_ns_ = std::min(lingers_from_ns_, episode.from_ns);
    // A killed server does not return, although its fault ends at once.
    if (!IsCrash(fault)) continue;
    for (const int node : TargetNodes(disturbances.facts, episode))
      killed_ns_.try_emplace(node, episode.from_ns);
  }
}

bool Excuses::Counts(const FaultEpisode& episode) const {
  const FaultFact& fault = FaultFor(disturbances_.facts, episode);
  return counts_(fault) && !ActsOnStoreAlone(episode, fault);
}

// Whether a client that was stopped for the time `when` may then have been in the asker's way: it
// may hold some of several nodes, or be ahead in a queue.
bool Excuses::MayBeAhead(int32_t stopped, const Span& when, const Asker& asker) const {
  const RunFacts& facts = evidence_.facts();
  return (facts.nodes > 1 || MayQueue(facts)) &&
         (evidence_.possessions().at(asker.key).Meets(stopped, when) ||
          evidence_.waits().at(asker.key).Meets(stopped, when));
}

int64_t Excuses::DisturbedUntil(const Span& when, const Asker& asker) const {
  const RunFacts& facts = disturbances_.facts;
  int64_t since_ns = when.from_ns;
  int64_t servers_ns = when.from_ns;  // end of the faults on lock servers, and on no client
  std::set<int> killed, hit;  // lock servers that faults killed; lock servers that faults hit
  for (const auto& [node, at_ns] : killed_ns_) {
    if (at_ns < when.to_ns) killed.insert(node);
  }
  if (!killed.empty() && !LeavesAMajority(facts, killed)) return kForeverNs;
  for (const FaultEpisode* episode : disturbances_.EpisodesWithin(when)) {
    const FaultFact& fault = FaultFor(facts, *episode);
    const Span active{episode->from_ns, episode->to_ns};
    if (!Counts(*episode)) continue;
    if (OnlyStopsClient(*episode, fault) && !ConcernsClient(*episode, fault, asker.client) &&
        !MayBeAhead(episode->client, active, asker))
      continue;
    const std::set<int> nodes = TargetNodes(facts, *episode);
    hit.insert(nodes.begin(), nodes.end());
    int64_t& over_ns = nodes.empty() || episode->client >= 0 ? since_ns : servers_ns;
    over_ns = std::max(over_ns, episode->to_ns);
  }
  hit.insert(killed.begin(), killed.end());
  if (!LeavesAMajority(facts, hit)) since_ns = std::max(since_ns, servers_ns);
  for (const Stall* stall : disturbances_.StallsWithin(when)) {
    const bool in_the_way =
        MayBeAhead(stall->client, stall->when, asker) || CanDelay(*stall, asker.client);
    if (in_the_way && IsLong(facts, *stall)) since_ns = std::max(since_ns, stall->when.to_ns);
  }
  return since_ns;
}

std::optional<int64_t> Excuses::UndisturbedSince(const Span& when, const Asker& asker) const {
  if (lingers_from_ns_ < when.to_ns) return std::nullopt;
  const int64_t since_ns = DisturbedUntil(when, asker);
  return since_ns >= kForeverNs ? std::nullopt : std::optional(since_ns);
}

}  // namespace doublehold
