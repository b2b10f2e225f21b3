#include "checker/evidence/disturbances.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <tuple>

namespace doublehold {
namespace {

// A process does not run at once after SIGCONT, and its stall meter ticks only every few ms. So the
// rest of a stall counts as planned if a planned pause covers part of the stall, and the rest is
// shorter than kPauseEdgeNs.
constexpr int64_t kPauseEdgeNs = 10'000'000;

// (fault, client, node). The end of a fault closes the earliest open episode with the same key.
using EpisodeKey = std::tuple<int32_t, int32_t, int32_t>;

std::vector<FaultEpisode> ExtractEpisodes(const History& history) {
  std::vector<FaultEpisode> episodes;
  std::vector<bool> idle;
  std::map<EpisodeKey, std::deque<size_t>> open;
  const int64_t end_ns = history.events.empty() ? 0 : history.events.back().at_ns;
  for (const Event& event : history.events) {
    if (event.op != Op::kFault || event.value[0] < 0 ||
        event.value[0] >= static_cast<int64_t>(history.facts.faults.size())) {
      continue;
    }
    const EpisodeKey key{event.value[0], event.value[2], event.value[3]};
    const auto [fault, client, node] = key;
    if (event.type == EventType::kInvoke) {
      open[key].push_back(episodes.size());
      episodes.push_back({.fault = fault,
                          .client = client,
                          .node = node,
                          .from_ns = event.at_ns,
                          .to_ns = end_ns,
                          .asked_ns = event.value[1]});
      idle.push_back(false);
      continue;
    }
    const auto begun = open.find(key);
    if (event.type == EventType::kInfo || begun == open.end() || begun->second.empty()) continue;
    const size_t episode = begun->second.front();
    begun->second.pop_front();
    episodes[episode].to_ns = event.at_ns;
    episodes[episode].measured_ns = event.value[1];
    idle[episode] = DidNothing(event);
  }
  std::vector<FaultEpisode> acted;
  for (size_t i = 0; i < episodes.size(); ++i) {
    if (!idle[i]) acted.push_back(episodes[i]);
  }
  return acted;
}

// Whether a fault explains a stall of the process `client`. The fault must have stopped the client,
// or made the server unavailable.
bool StopsProcess(const RunFacts& facts, const FaultEpisode& episode, int32_t client) {
  const FaultFact& fault = FaultFor(facts, episode);
  // No fault stops the supervisor or the referee. Their numbers are not above 0.
  if (!IsServer(client))
    return client > 0 && episode.client == client && Does(fault, FaultTrait::kStops);
  const int32_t node = ServerOf(client);
  const bool has_node =
      episode.node == node || std::ranges::find(fault.nodes, node) != fault.nodes.end();
  return has_node && StopsServers(fault);
}

// Returns the parts of a stall that no planned pause covers.
std::vector<Span> FindUnplannedParts(Span stall, const Disturbances& disturbances, int32_t client) {
  std::vector<Span> left;
  bool planned = false;
  for (const FaultEpisode* episode : disturbances.EpisodesWithin(stall)) {
    if (!StopsProcess(disturbances.facts, *episode, client)) continue;
    planned = true;
    if (episode->from_ns > stall.from_ns) left.push_back({stall.from_ns, episode->from_ns});
    stall.from_ns = std::max(stall.from_ns, episode->to_ns);
  }
  if (stall.from_ns < stall.to_ns) left.push_back(stall);
  if (planned) {
    std::erase_if(left, [](const Span& s) { return s.to_ns - s.from_ns < kPauseEdgeNs; });
  }
  return left;
}

bool IsClockFault(const RunFacts& facts, const FaultEpisode& episode) {
  return MovesAClock(FaultFor(facts, episode));
}

// Whether the fault stops or slows a client. Such a fault rarely explains a double grant, because
// an idle client causes no grants to other clients.
bool StopsOrSlows(const RunFacts& facts, const FaultEpisode& episode) {
  return TraitsOf(FaultFor(facts, episode)).HasAny({FaultTrait::kStops, FaultTrait::kSlows});
}

int RankWithValidLeases(const RunFacts& facts, const FaultEpisode& episode,
                        const Suspects& suspects) {
  if (episode.client < 0 || IsClockFault(facts, episode)) return 4;
  const bool holder = episode.client == suspects.other || episode.client == suspects.second;
  // A stopped bystander may have released the key when it continued.
  if (StopsOrSlows(facts, episode)) return holder ? 1 : 2;
  return 3;
}

int RankEpisode(const RunFacts& facts, const FaultEpisode& episode, const Suspects& suspects) {
  if (suspects.stale == 0) return RankWithValidLeases(facts, episode, suspects);
  if (episode.client == suspects.stale) return 4;
  if (suspects.other != 0 && episode.client == suspects.other) return 3;
  return episode.client < 0 ? 2 : 1;
}

// Whether the fault acts on processes: on its client, and on all nodes that it lists. Other faults
// with a client act on the client's links to the nodes.
bool ActsOnProcesses(const FaultFact& fault) {
  return TraitsOf(fault).HasAny({FaultTrait::kStops, FaultTrait::kKills, FaultTrait::kMovesClock});
}

// Whether the fault names servers, and all of them are the store. An episode names one server only,
// also if its fault names several.
bool IsStoreOnlyServer(const FaultEpisode& episode, const FaultFact& fault) {
  if (fault.nodes.empty()) return episode.node == 0;
  return std::ranges::all_of(fault.nodes, [](int node) { return node == 0; });
}

}  // namespace

bool DidNothing(const Event& fault) {
  return fault.type == EventType::kFail && fault.value[1] == 0;
}

bool CanDelay(const Stall& stall, int32_t client) {
  return stall.client == client || stall.client == kSupervisor || IsServer(stall.client);
}

bool IsLong(const RunFacts& facts, const Stall& stall) {
  return stall.when.to_ns - stall.when.from_ns > ToNs(facts.grace) / 2;
}

std::vector<const Stall*> LongLockStalls(const Disturbances& disturbances, int32_t client,
                                         const Span& when) {
  std::vector<const Stall*> stalls = disturbances.StallsWithin(when);
  std::erase_if(stalls, [&](const Stall* stall) { return !CanDelayLock(*stall, client); });
  std::vector<Span> spans;
  for (const Stall* stall : stalls) spans.push_back(stall->when);
  spans = MergeSpans(std::move(spans));
  const int64_t grace_ns = ToNs(disturbances.facts.grace);
  std::vector<Span> is_long;
  int64_t total_ns = 0;  // of the spans from `first` to `last`
  for (size_t first = 0, last = 0; last < spans.size(); ++last) {
    total_ns += spans[last].to_ns - spans[last].from_ns;
    for (; first < last && spans[last].from_ns - spans[first].from_ns >= grace_ns; ++first)
      total_ns -= spans[first].to_ns - spans[first].from_ns;
    if (total_ns > grace_ns / 2) is_long.push_back({spans[first].from_ns, spans[last].to_ns});
  }
  std::erase_if(stalls, [&](const Stall* stall) {
    return std::ranges::none_of(is_long, [&](const Span& span) {
      return span.from_ns <= stall->when.from_ns && stall->when.to_ns <= span.to_ns;
    });
  });
  return stalls;
}

void EpisodeTimes::Add(const Span& active) {
  const int64_t before_ns = times_.empty() ? active.to_ns : times_.back().to_ns;
  times_.push_back({active.from_ns, std::max(before_ns, active.to_ns)});
}

bool EpisodeTimes::Meet(const Span& when) const {
  const auto after = std::ranges::upper_bound(times_, when.to_ns, {}, &Span::from_ns);
  return after != times_.begin() && when.from_ns <= std::prev(after)->to_ns;
}

std::vector<const Stall*> Disturbances::StallsWithin(const Span& when) const {
  std::vector<const Stall*> within;
  auto stall = std::ranges::upper_bound(stalls, when.from_ns, {},
                                        [](const Stall& s) { return s.when.to_ns; });
  for (; stall != stalls.end() && stall->when.to_ns - longest_stall_ns < when.to_ns; ++stall) {
    if (Overlap(stall->when, when)) within.push_back(&*stall);
  }
  return within;
}

std::vector<const FaultEpisode*> Disturbances::EpisodesWithin(const Span& when) const {
  std::vector<const FaultEpisode*> within;
  auto episode = std::ranges::upper_bound(episodes, when.from_ns, {}, [&](const FaultEpisode& e) {
    return e.from_ns + longest_episode_ns;
  });
  for (; episode != episodes.end() && episode->from_ns < when.to_ns; ++episode) {
    if (Overlap({episode->from_ns, episode->to_ns}, when)) within.push_back(&*episode);
  }
  return within;
}

Disturbances Observe(const History& history) {
  Disturbances disturbances{
      .facts = history.facts, .episodes = ExtractEpisodes(history), .stalls = {}, .threaded = {}};
  disturbances.active.resize(history.facts.faults.size());
  for (const FaultEpisode& episode : disturbances.episodes) {
    disturbances.longest_episode_ns =
        std::max(disturbances.longest_episode_ns, episode.to_ns - episode.from_ns);
    if (ActsOnStoreAlone(episode, FaultFor(history.facts, episode))) continue;
    disturbances.active[static_cast<size_t>(episode.fault)].Add({episode.from_ns, episode.to_ns});
  }
  for (const Event& event : history.events) {
    if (event.thread != 0) disturbances.threaded.insert(event.client);
    if (event.op != Op::kStall) continue;
    const Span whole{event.at_ns - std::max<int64_t>(event.value[0], 0), event.at_ns};
    for (const Span& span : FindUnplannedParts(whole, disturbances, event.client)) {
      disturbances.stalls.push_back({.client = event.client, .when = span});
      disturbances.longest_stall_ns =
          std::max(disturbances.longest_stall_ns, span.to_ns - span.from_ns);
    }
  }
  // A planned pause may split a stall. The first part of a split stall may end before stalls of
  // earlier events.
  std::ranges::stable_sort(disturbances.stalls, {},
                           [](const Stall& stall) { return stall.when.to_ns; });
  return disturbances;
}

bool ActsOnServers(const FaultEpisode& episode, const FaultFact& fault) {
  if (episode.client <= 0) return true;
  return ActsOnProcesses(fault) && (episode.node >= 0 || !fault.nodes.empty());
}

bool ActsOnLockServers(const FaultEpisode& episode, const FaultFact& fault) {
  return ActsOnServers(episode, fault) && !IsStoreOnlyServer(episode, fault);
}

bool ActsOnStoreAlone(const FaultEpisode& episode, const FaultFact& fault) {
  const bool on_client = episode.client > 0 && ActsOnProcesses(fault);
  return IsStoreOnlyServer(episode, fault) && !on_client;
}

bool ConcernsClient(const FaultEpisode& episode, const FaultFact& fault, int32_t client) {
  if (ActsOnStoreAlone(episode, fault)) return false;
  return episode.client == client || ActsOnLockServers(episode, fault);
}

bool LosesStoreData(const FaultEpisode& episode, const FaultFact& fault) {
  const bool on_store = episode.node == 0 || std::ranges::find(fault.nodes, 0) != fault.nodes.end();
  return on_store && LosesKeys(fault) && !fault.keeps_data;
}

bool IsOfAnotherLock(const RunFacts& facts, const FaultFact& fault, uint16_t key) {
  if (fault.key.empty()) return false;
  const auto found = std::ranges::find(facts.keys, fault.key);
  return found == facts.keys.end() ? !facts.library : found - facts.keys.begin() != key;
}

bool MayDelayCall(const RunFacts& facts, const FaultEpisode& episode, int32_t client,
                  uint16_t key) {
  const FaultFact& fault = FaultFor(facts, episode);
  return !MovesAClock(fault) && !IsOfAnotherLock(facts, fault, key) &&
         ConcernsClient(episode, fault, client);
}

bool LosesKeys(const FaultFact& fault) {
  return TraitsOf(fault).HasAny({FaultTrait::kLosesData, FaultTrait::kTakesKeys});
}

bool StopsServers(const FaultFact& fault) {
  return TraitsOf(fault).HasAny(
      {FaultTrait::kStops, FaultTrait::kBusies, FaultTrait::kKills, FaultTrait::kLosesData});
}

const FaultEpisode* FindActive(const Disturbances& disturbances, const Span& when,
                               const std::function<bool(const FaultFact&)>& kind) {
  for (size_t fault = 0; fault < disturbances.active.size(); ++fault) {
    if (kind(disturbances.facts.faults[fault]) && disturbances.active[fault].Meet(when))
      return disturbances.EpisodeOf(static_cast<int32_t>(fault), when);
  }
  return nullptr;
}

const FaultEpisode* Disturbances::EpisodeOf(int32_t fault, const Span& when) const {
  // An episode that only touches the span counts.
  for (const FaultEpisode* each : EpisodesWithin({when.from_ns - 1, Later(when.to_ns, 1)})) {
    if (each->fault == fault && !ActsOnStoreAlone(*each, FaultFor(facts, *each))) return each;
  }
  return nullptr;
}

std::vector<const FaultEpisode*> FaultsBehind(const Disturbances& disturbances,
                                              const Suspects& suspects) {
  std::vector<const FaultEpisode*> named;
  int best = 0;
  for (const FaultEpisode& episode : disturbances.episodes) {
    if (episode.from_ns > suspects.at_ns) break;
    const FaultFact& fault = FaultFor(disturbances.facts, episode);
    if (suspects.key && IsOfAnotherLock(disturbances.facts, fault, *suspects.key)) continue;
    if (suspects.of_lock && ActsOnStoreAlone(episode, fault)) continue;
    const bool lost_messages =
        suspects.stale != 0 && episode.client == suspects.stale && LosesMessages(fault);
    const bool active_at_lease_end = suspects.stale != 0 && episode.client == suspects.stale &&
                                     episode.from_ns <= suspects.lease_end_ns &&
                                     suspects.lease_end_ns <= episode.to_ns;
    const int64_t since_ns = (lost_messages || active_at_lease_end) && suspects.lease_end_ns >= 0
                                 ? suspects.lease_end_ns
                                 : suspects.at_ns;
    if (episode.to_ns < since_ns - ToNs(disturbances.facts.lease)) continue;
    const int rank = RankEpisode(disturbances.facts, episode, suspects);
    if (rank < best) continue;
    // The effects of simultaneous clock faults cannot be distinguished, so all of them are named.
    // Among other faults of equal rank, only the latest one is named.
    const bool is_simultaneous =
        rank == best && !named.empty() && IsClockFault(disturbances.facts, *named.back()) &&
        IsClockFault(disturbances.facts, episode) && episode.from_ns < named.back()->to_ns;
    if (!is_simultaneous) named.clear();
    best = rank;
    named.push_back(&episode);
  }
  return named;
}

}  // namespace doublehold
