#include "checker/evidence/disturbed.h"

#include <algorithm>

#include "checker/evidence/evidence.h"
#include "checker/evidence/library.h"

namespace doublehold {
namespace {

using enum FaultTrait;

bool May(const FaultFact& fault, FaultTraits traits) {
  return !IsDescribed(fault) || TraitsOf(fault).HasAny(traits);
}

bool MayQueue(const RunFacts& facts) {
  return IsOnOneNode(facts) && (facts.library || KeepsQueue(facts));
}

bool OnlyStopsClient(const FaultEpisode& episode, const FaultFact& fault) {
  return episode.client > 0 && !ActsOnLockServers(episode, fault) &&
         TraitsOf(fault).HasAny({kStops, kSlows});
}

bool HindersAllAlong(const FaultFact& fault) {
  return !TraitsOf(fault).HasAny({kLosesMessages, kRepeats}) || Does(fault, kCutsOff);
}

// Whether the fault may block a key long after the fault's end. A moved clock or lost data may
// block it. A request that the fault delayed or repeated may block it with an endless lease, or in
// a queue. The history does not record which libraries keep a queue. A stopped client repeats no
// request, and its delays end with the fault.
bool Lingers(const RunFacts& facts, const FaultEpisode& episode) {
  const FaultFact& fault = FaultFor(facts, episode);
  if (May(fault, {kMovesClock, kLosesData}) || !LeasesEnd(facts)) return true;
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

std::optional<Why> Because(const FaultEpisode* fault) {
  return fault == nullptr ? std::nullopt : std::optional(Why{.fault = fault});
}

void KeepFirst(std::optional<Why>& first, const Why& why) {
  if (!first || why.FromNs() < first->FromNs()) first = why;
}

std::set<const Call*> FindUnsentCalls(const Evidence& evidence) {
  if (!evidence.facts().library) return {};
  std::vector<const Call*> by_answer;
  for (const Call& call : evidence.calls().all) {
    if (call.op == Op::kAcquire || call.op == Op::kRelease) by_answer.push_back(&call);
  }
  std::ranges::stable_sort(by_answer, {}, &Call::to_ns);
  std::set<const Call*> unsent;
  std::map<SessionId, bool> busy;
  for (const Call* call : by_answer) {
    bool& is_busy = busy[call->session];
    if (call->outcome == EventType::kInfo) is_busy = true;
    if (call->Ok() || (call->outcome == EventType::kFail && HasRetryHint(*call))) is_busy = false;
    if (is_busy) unsent.insert(call);
  }
  return unsent;
}

}  // namespace

Disturbed::Disturbed(const Evidence& evidence)
    : evidence_(evidence),
      facts_(evidence.facts()),
      all_(evidence.disturbances()),
      unsent_(FindUnsentCalls(evidence)) {
  // After such a stall, a server may have carried out an acquire twice (second_copies.h).
  for (const Stall& stall : all_.stalls) {
    if (!LeasesEnd(facts_) && IsLong(facts_, stall) && !IsOfStore(stall))
      lingering_.push_back({.what = Why::What::kStall, .stall = &stall});
  }
  for (const FaultEpisode& episode : all_.episodes) {
    const FaultFact& fault = FaultFor(facts_, episode);
    if (ActsOnStoreAlone(episode, fault)) continue;
    if (May(fault, {kLosesData, kTakesKeys}) ||
        (May(fault, {kMovesClock}) && ActsOnLockServers(episode, fault)))
      key_losses_[episode.fault].Add({episode.from_ns, episode.to_ns});
    if (Lingers(facts_, episode)) lingering_.push_back({.fault = &episode});
    // A killed server does not return, although its fault ends at once.
    if (!IsCrash(fault) || !ActsOnLockServers(episode, fault)) continue;
    if (server_killed_ == nullptr) server_killed_ = &episode;
    for (const int node : TargetNodes(facts_, episode))
      killed_ns_.try_emplace(node, episode.from_ns);
  }
  std::ranges::stable_sort(lingering_, {}, &Why::FromNs);
}

std::optional<Why> Disturbed::MayLoseKey(uint16_t key, const Span& when) const {
  if (const auto killed = FindServerKill(when.to_ns)) return killed;
  for (const auto& [fault, times] : key_losses_) {
    if (times.Meet(when) &&
        !IsOfAnotherLock(facts_, facts_.faults[static_cast<size_t>(fault)], key))
      return Because(all_.EpisodeOf(fault, when));
  }
  return std::nullopt;
}

std::optional<Why> Disturbed::MayReturnKeys(const Span& when) const {
  return Because(
      FindActive(all_, when, [](const FaultFact& fault) { return May(fault, {kLosesData}); }));
}

std::optional<Why> Disturbed::MayMoveClocks(const Span& when) const {
  return Because(
      FindActive(all_, when, [](const FaultFact& fault) { return May(fault, {kMovesClock}); }));
}

template <typename Counts>
std::optional<Why> Disturbed::FirstFault(int32_t client, const Span& when,
                                         const Counts& counts) const {
  for (const FaultEpisode* episode :
       all_.EpisodesWithin({when.from_ns - 1, Later(when.to_ns, 1)})) {
    const FaultFact& fault = FaultFor(facts_, *episode);
    if (counts(fault) && ConcernsClient(*episode, fault, client)) return Because(episode);
  }
  return std::nullopt;
}

std::optional<Why> Disturbed::MayDelayMessages(int32_t client, const Span& when) const {
  return FirstOf(FirstFault(client, when,
                            [](const FaultFact& fault) {
                              return May(fault, {kKeepsMessages, kLosesMessages, kRepeats});
                            }),
                 MayResendInStall(client, when));
}

std::optional<Why> Disturbed::FindFault(const Span& when) const {
  return Because(FindActive(all_, when));
}

std::optional<Why> Disturbed::FindDisturbanceOf(int32_t client, const Span& when) const {
  if (auto fault = FirstFault(client, when, IsAny)) return fault;
  for (const Stall* stall : all_.StallsWithin(when)) {
    if (CanDelayLock(*stall, client)) return Why{.what = Why::What::kStall, .stall = stall};
  }
  return std::nullopt;
}

std::optional<Why> Disturbed::FindStall(const Span& when, int64_t longer_ns) const {
  for (const Stall* stall : all_.StallsWithin(when)) {
    if (stall->when.to_ns - stall->when.from_ns > longer_ns && !IsOfStore(*stall))
      return Why{.what = Why::What::kStall, .stall = stall};
  }
  return std::nullopt;
}

std::optional<Why> Disturbed::MayRefuseKey(uint16_t key, const Span& when) const {
  constexpr FaultTraits kLasts{kKills, kMovesClock, kCutsReplication};
  for (const FaultEpisode* episode : all_.EpisodesWithin(when)) {
    const FaultFact& fault = FaultFor(facts_, *episode);
    const bool before = TraitsOf(fault).HasAny(kLasts) && episode->from_ns <= when.from_ns;
    if (ActsOnLockServers(*episode, fault) && !before && !IsOfAnotherLock(facts_, fault, key))
      return Because(episode);
  }
  return std::nullopt;
}

std::optional<Why> Disturbed::FindKill(int64_t at_ns) const {
  return Because(FindActive(all_, {0, at_ns}, IsCrash));
}

std::optional<Why> Disturbed::FindServerKill(int64_t at_ns) const {
  return If(server_killed_ != nullptr && server_killed_->from_ns <= at_ns,
            {.fault = server_killed_});
}

bool Disturbed::WasClientKilled(int32_t client, const Span& when) const {
  return std::ranges::any_of(all_.EpisodesWithin(when), [&](const FaultEpisode* episode) {
    return episode->client == client && IsCrash(FaultFor(facts_, *episode));
  });
}

std::vector<Span> Disturbed::FindSpansWithoutRequests(int32_t client) const {
  constexpr FaultTraits kHide{kStops, kKills, kLosesData, kLosesMessages, kKeepsMessages};
  std::vector<Span> hidden;
  for (const FaultEpisode& episode : all_.episodes) {
    const FaultFact& fault = FaultFor(facts_, episode);
    if (!ConcernsClient(episode, fault, client) || !May(fault, kHide)) continue;
    std::set<int> nodes(fault.nodes.begin(), fault.nodes.end());
    if (episode.node >= 0) nodes.insert(episode.node);
    const bool on_some = !nodes.empty();
    nodes.erase(0);  // the store
    if (on_some && std::ssize(nodes) < facts_.nodes) continue;
    int64_t until_ns = episode.to_ns;
    if (IsCrash(fault)) {
      const auto taken_over = std::ranges::find_if(all_.episodes, [&](const FaultEpisode& other) {
        return other.from_ns >= episode.from_ns && Does(FaultFor(facts_, other), kTakesOver);
      });
      const bool returns = episode.client <= 0 && taken_over != all_.episodes.end();
      until_ns = returns ? taken_over->to_ns : kForeverNs;
    }
    hidden.push_back({episode.from_ns, until_ns});
  }
  for (const Stall& stall : all_.stalls) {
    if (CanDelayLock(stall, client)) hidden.push_back(stall.when);
  }
  return MergeSpans(std::move(hidden));
}

std::optional<Why> Disturbed::MayResendInStall(int32_t client, const Span& when) const {
  const auto stalls =
      MayResend(facts_) ? LongLockStalls(all_, client, when) : std::vector<const Stall*>{};
  if (stalls.empty()) return std::nullopt;
  return Why{.what = Why::What::kStall, .stall = stalls.front()};
}

std::optional<Why> Disturbed::MayCostPlace(int32_t client, const Span& when) const {
  std::optional<Why> first;
  for (const FaultEpisode& episode : all_.episodes) {
    const FaultFact& fault = FaultFor(facts_, episode);
    const bool may =
        ConcernsClient(episode, fault, client) && !MovesAClock(fault) && !Does(fault, kTakesKeys);
    if (may && episode.from_ns <= when.to_ns && when.from_ns <= episode.to_ns)
      KeepFirst(first, {.fault = &episode});
  }
  std::vector<const Stall*> stalls = all_.StallsWithin({when.from_ns, Later(when.to_ns, 1)});
  std::erase_if(stalls, [&](const Stall* stall) { return !CanDelayLock(*stall, client); });
  std::vector<Span> spans;
  for (const Stall* stall : stalls) spans.push_back(stall->when);
  for (const Span& span : MergeSpans(std::move(spans))) {
    if (span.to_ns - span.from_ns <= ToNs(facts_.lease) / 2) continue;
    for (const Stall* stall : stalls) {
      if (stall->when.from_ns == span.from_ns)
        KeepFirst(first, {.what = Why::What::kStall, .stall = stall});
    }
  }
  return first;
}

std::optional<Span> Disturbed::DelayOf(const Asker& asker, const Span& when) const {
  std::optional<Span> found;
  const auto note = [&found](const Span& span) {
    if (!found) found = span;
    found->from_ns = std::min(found->from_ns, span.from_ns);
    found->to_ns = std::max(found->to_ns, span.to_ns);
  };
  for (const FaultEpisode* episode : all_.EpisodesWithin(when)) {
    if (MayDelayCall(facts_, *episode, asker.client, asker.key))
      note({episode->from_ns, episode->to_ns});
  }
  for (const Stall* stall : all_.StallsWithin(when)) {
    if (IsLong(facts_, *stall) && CanDelayLock(*stall, asker.client)) note(stall->when);
  }
  return found;
}

bool Disturbed::AskedTheLock(const Call& call, const Span& when) const {
  const int64_t aftermath_ns = ToNs(facts_.lease) + ToNs(facts_.grace);
  return !IsUnsent(call) && !FindServerKill(when.to_ns) &&
         !DelayOf({call.session.client, call.key}, {when.from_ns - aftermath_ns, when.to_ns});
}

bool Disturbed::ShowsTakenKey(const Call& refused) const {
  if (refused.AsksForSeveralKeys()) return false;  // another of its keys may have been taken
  return ReportsThatKeyIsTaken(facts_, refused) ||
         AskedTheLock(refused, {refused.from_ns, refused.to_ns});
}

// Whether a client that was stopped for the time `when` may then have been in the asker's way: it
// may hold some of several nodes, or be ahead in a queue.
bool Disturbed::MayBeAhead(int32_t stopped, const Span& when, const Asker& asker) const {
  return (!IsOnOneNode(facts_) || MayQueue(facts_)) &&
         (evidence_.possessions().at(asker.key).Meets(stopped, when) ||
          evidence_.waits().at(asker.key).Meets(stopped, when));
}

int64_t Disturbed::Until(const Span& when, const Asker& asker, Which which) const {
  int64_t since_ns = when.from_ns;
  int64_t servers_ns = when.from_ns;  // end of the faults on lock servers, and on no client
  std::set<int> killed, hit;          // lock servers that faults killed; that faults hit
  for (const auto& [node, at_ns] : killed_ns_) {
    if (at_ns < when.to_ns) killed.insert(node);
  }
  if (!killed.empty() && !LeavesAMajority(facts_, killed)) return kForeverNs;
  for (const FaultEpisode* episode : all_.EpisodesWithin(when)) {
    const FaultFact& fault = FaultFor(facts_, *episode);
    const Span active{episode->from_ns, episode->to_ns};
    const bool counts = which == Which::kAll || HindersAllAlong(fault);
    if (!counts || ActsOnStoreAlone(*episode, fault)) continue;
    if (OnlyStopsClient(*episode, fault) && !ConcernsClient(*episode, fault, asker.client) &&
        !MayBeAhead(episode->client, active, asker))
      continue;
    const std::set<int> nodes = TargetNodes(facts_, *episode);
    hit.insert(nodes.begin(), nodes.end());
    int64_t& over_ns = nodes.empty() || episode->client > 0 ? since_ns : servers_ns;
    over_ns = std::max(over_ns, episode->to_ns);
  }
  hit.insert(killed.begin(), killed.end());
  if (!LeavesAMajority(facts_, hit)) since_ns = std::max(since_ns, servers_ns);
  for (const Stall* stall : all_.StallsWithin(when)) {
    const bool in_the_way =
        MayBeAhead(stall->client, stall->when, asker) || CanDelayLock(*stall, asker.client);
    if (in_the_way && IsLong(facts_, *stall)) since_ns = std::max(since_ns, stall->when.to_ns);
  }
  return since_ns;
}

tl::expected<int64_t, Why> Disturbed::UndisturbedSince(const Span& when, const Asker& asker) const {
  auto last = std::ranges::lower_bound(lingering_, when.to_ns, {}, &Why::FromNs);
  while (last != lingering_.begin()) {
    if ((--last)->fault == nullptr) return tl::unexpected(*last);
    const FaultFact& fault = FaultFor(facts_, *last->fault);
    if (!Does(fault, kTakesKeys) || !IsOfAnotherLock(facts_, fault, asker.key))
      return tl::unexpected(*last);
  }
  const int64_t since_ns = Until(when, asker, Which::kAll);
  if (since_ns >= kForeverNs) return tl::unexpected(Why{.fault = server_killed_});
  return since_ns;
}

}  // namespace doublehold
