#include "checker/evidence/stall_attribution.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {
namespace {

const FaultFact& FactOf(const Scene& scene, const FaultEpisode& episode) {
  return scene.facts.faults[static_cast<size_t>(episode.fault)];
}

// Whether the fault stops the client, or keeps a session at its work while its watchdog runs on.
bool StopsSide(const Scene& scene, const FaultEpisode& episode, int32_t client, Side side) {
  const FaultTraits does = TraitsOf(FactOf(scene, episode));
  return episode.client == client &&
         (does.Has(FaultTrait::kStops) || (does.Has(FaultTrait::kSlows) && side == Side::kSession));
}

// Whether the fault acts on the servers that the client waits for: the store, or those that keep
// locks.
bool IsOn(const Scene& scene, const FaultEpisode& episode, int32_t client, bool store) {
  if (episode.client >= 0 && episode.client != client) return false;
  std::vector<int> nodes = FactOf(scene, episode).nodes;
  if (nodes.empty() && episode.node >= 0) nodes.push_back(episode.node);
  if (nodes.empty()) return true;
  if (store) return std::ranges::find(nodes, 0) != nodes.end();
  const int all = std::max(1, scene.facts.nodes);
  const auto hit = std::ranges::count_if(nodes, [all](int n) { return n >= 1 && n <= all; });
  // A fault on the client's own links counts if it acts on any lock server: the history does not
  // record which of these links the client needs.
  if (episode.client == client) return std::ranges::any_of(nodes, [](int n) { return n >= 1; });
  return all - hit < all / 2 + 1;
}

// The part of a wait that the fault explains, although the machine stalled the waiting process. A
// span that ends before it begins is empty.
Span TakenOf(const Scene& scene, const FaultEpisode& episode, const Span& wait) {
  const FaultFact& fault = FactOf(scene, episode);
  const int64_t from_ns = std::max(wait.from_ns, episode.from_ns);
  if (LosesMessages(fault) || !IsDescribed(fault)) return {from_ns, wait.to_ns};
  // Such a fault explains the wait while it lasts, and nothing after.
  const bool holds = StopsServers(fault) || KeepsMessages(fault);
  const bool delays = Does(fault, FaultTrait::kDelays);
  return {from_ns, holds && !delays ? std::min(wait.to_ns, episode.to_ns) : from_ns};
}

// The time that lies in at least one of the spans.
int64_t TotalNs(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::from_ns);
  int64_t total_ns = 0;
  int64_t end_ns = std::numeric_limits<int64_t>::min();
  for (const Span& span : spans) {
    total_ns += std::max<int64_t>(0, span.to_ns - std::max(span.from_ns, end_ns));
    end_ns = std::max(end_ns, span.to_ns);
  }
  return total_ns;
}

// One side of a session that waits.
struct Waiter {
  SessionId session;
  Side side = Side::kSession;
  // An unanswered request of the session to servers that keep locks, for which it no longer waits.
  Span unanswered{};
};

struct WaitOf {
  Span when;
  bool store = false;
};

std::vector<WaitOf> WaitsOf(const Scene& scene, const Waiter& who, const Span& when) {
  std::vector<WaitOf> waits;
  for (const bool store : {false, true}) {
    for (const Span& wait : scene.WaitsWithin({who.session, who.side, store}, when))
      waits.push_back({wait, store});
  }
  if (Overlap(who.unanswered, when)) waits.push_back({who.unanswered, false});
  return waits;
}

// Appends the parts of a span that lie outside the others.
void AddWithout(Span span, std::vector<Span> others, std::vector<Span>& left) {
  std::ranges::sort(others, {}, &Span::from_ns);
  for (const Span& other : others) {
    if (!Overlap(span, other)) continue;
    if (span.from_ns < other.from_ns) left.push_back({span.from_ns, other.from_ns});
    span.from_ns = std::max(span.from_ns, other.to_ns);
  }
  if (span.from_ns < span.to_ns) left.push_back(span);
}

// Appends the parts of a stall that no fault explains.
void AddOwnPart(const Scene& scene, const Waiter& who, Span stalled, std::vector<Span>& own) {
  if (scene.episodes.empty()) return own.push_back(stalled);
  const int32_t client = who.session.client;
  std::vector<Span> taken;
  for (const FaultEpisode* episode : scene.EpisodesWithin(stalled)) {
    if (StopsSide(scene, *episode, client, who.side))
      taken.push_back({episode->from_ns, episode->to_ns});
  }
  const int64_t began_ns = stalled.from_ns;
  for (const auto& [wait, store] : WaitsOf(scene, who, stalled)) {
    for (const FaultEpisode* episode : scene.EpisodesWithin(wait)) {
      if (!IsOn(scene, *episode, client, store)) continue;
      taken.push_back(TakenOf(scene, *episode, wait));
      // A message may have been in transit when the stall began.
      const bool delays = wait.from_ns <= began_ns &&
                          Overlap({began_ns, began_ns + 1}, {episode->from_ns, episode->to_ns});
      if (delays) stalled.from_ns += DelayNs(scene, *episode);
    }
  }
  AddWithout(stalled, std::move(taken), own);
}

// The parts of `when` in which the machine stalled a side of a session and no fault delayed it.
std::vector<Span> StalledWithin(const Scene& scene, const SessionId& session, Side side,
                                const Span& when) {
  std::vector<Span> own;
  for (const Stall* stall : scene.StallsWithin(when)) {
    for (const Span& held : HeldUpBy(*stall, session, side, when))
      AddOwnPart(scene, {.session = session, .side = side}, held, own);
  }
  return own;
}

// Whether a stall prevented the extension of the lease that ended at `end_ns`.
bool KeptFromExtending(const Scene& scene, const Hold& hold, int64_t end_ns) {
  const int64_t lease_ns = ToNs(scene.facts.lease);
  const auto stalled_ns = [&](const Span& when) {
    return TotalNs(StalledWithin(scene, hold.owner(), Side::kWatchdog, when));
  };
  const Span& tried = hold.tried;
  const int64_t until_ns =
      hold.tried_outcome == EventType::kFail ? std::min(end_ns, tried.to_ns) : end_ns;
  if (stalled_ns({std::max(hold.core.from_ns, end_ns - lease_ns), until_ns}) > lease_ns / 2)
    return true;
  // Not every watchdog retries after an unanswered extension.
  const bool answered = hold.tried_outcome != EventType::kInfo && tried.to_ns <= end_ns;
  if (answered || tried.from_ns >= end_ns || tried.from_ns < end_ns - lease_ns) return false;
  const Span waited{tried.from_ns, std::min(tried.to_ns, end_ns)};
  return stalled_ns(waited) > (waited.to_ns - waited.from_ns) / 2;
}

}  // namespace

int64_t DelayNs(const Scene& scene, const FaultEpisode& episode) {
  if (!Does(FactOf(scene, episode), FaultTrait::kDelays)) return 0;
  if (episode.asked_ns == 0 || episode.measured_ns == 0)
    return std::max(episode.asked_ns, episode.measured_ns);
  return std::min(episode.asked_ns, episode.measured_ns);
}

bool StallExplainsExpiry(const Scene& scene, const Hold& hold, int64_t lease_end_ns,
                         int64_t at_ns) {
  if (hold.extended && KeptFromExtending(scene, hold, std::min(lease_end_ns, at_ns))) return true;
  // The lease runs from the invocation of the acquire.
  const int64_t stalled_ns =
      TotalNs(StalledWithin(scene, hold.owner(), Side::kSession, {hold.asked_ns, at_ns}));
  return stalled_ns > 0 && at_ns - stalled_ns <= lease_end_ns;
}

bool MachineMayDelayRelease(const Scene& scene, const Hold& hold, int64_t lease_end_ns) {
  const int64_t sent_ns = hold.core.to_ns;
  std::vector<Span> stalled =
      StalledWithin(scene, hold.owner(), Side::kSession, {hold.asked_ns, sent_ns});
  std::vector<int64_t> ends_ns;
  for (const Stall* stall : scene.StallsWithin({sent_ns, hold.done_ns})) {
    // A stall of the client after its timeout does not delay the release.
    const bool its = stall->client == hold.client && stall->when.from_ns < hold.waited_ns;
    if (!its && !IsOnRequestPath(*stall)) continue;
    AddOwnPart(scene, {.session = hold.owner(), .unanswered = {sent_ns, hold.done_ns}},
               {std::max(stall->when.from_ns, sent_ns), stall->when.to_ns}, stalled);
    ends_ns.push_back(stall->when.to_ns);
  }
  return std::ranges::any_of(ends_ns, [&](int64_t end_ns) {
    std::vector<Span> before = stalled;
    for (Span& span : before) span.to_ns = std::min(span.to_ns, end_ns);
    return end_ns > lease_end_ns && end_ns - TotalNs(std::move(before)) <= lease_end_ns;
  });
}

bool StalledForMostOf(const Scene& scene, const SessionId& session, const Span& when) {
  const int64_t stalled_ns = TotalNs(StalledWithin(scene, session, Side::kSession, when));
  return stalled_ns > (when.to_ns - when.from_ns) / 2;
}

int64_t BlockedTimeNs(const Scene& scene, int32_t client, Side side, const Span& when) {
  std::vector<Span> still;
  const auto add = [&](const Span& span) {
    still.push_back({std::max(span.from_ns, when.from_ns), std::min(span.to_ns, when.to_ns)});
  };
  for (const Stall* stall : scene.StallsWithin(when)) {
    if (CanDelay(*stall, client)) add(stall->when);
  }
  for (const FaultEpisode* episode : scene.EpisodesWithin(when)) {
    if (StopsSide(scene, *episode, client, side)) add({episode->from_ns, episode->to_ns});
  }
  return TotalNs(std::move(still));
}

const Stall* LongestStall(const Scene& scene, const SessionId& session, const Span& when) {
  const Stall* longest = nullptr;
  for (const Stall* stall : scene.StallsWithin(when)) {
    const bool held = !HeldUpBy(*stall, session, Side::kSession, when).empty() ||
                      !HeldUpBy(*stall, session, Side::kWatchdog, when).empty();
    if (!held) continue;
    if (longest == nullptr ||
        stall->when.to_ns - stall->when.from_ns > longest->when.to_ns - longest->when.from_ns) {
      longest = stall;
    }
  }
  return longest;
}

}  // namespace doublehold
