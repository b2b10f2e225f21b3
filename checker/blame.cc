#include "checker/blame.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {
namespace {

// Of whom it acts on it takes the time that it lasts, and nothing after. `slow` keeps a session at its work: a watchdog
// runs on.
constexpr std::array<std::string_view, 5> kHoldingKinds{"pause", "hold", "stall", "bandwidth",
                                                        "drip"};

enum class Takes : uint8_t { kNothing, kItsDelay, kItsTime, kAll };

// On the client itself, or on everybody. What is on a node need not have touched it.
bool IsOn(const Scene& scene, const FaultEpisode& episode, int32_t client) {
  if (episode.client == client) return true;
  return episode.client < 0 && episode.node < 0 &&
         !MovesAClock(scene.facts.faults[static_cast<size_t>(episode.fault)]);
}

// What a fault takes of the time of a client.
Takes TakesOf(const Scene& scene, const FaultEpisode& episode, int32_t client, Side side) {
  const FaultFact& fault = scene.facts.faults[static_cast<size_t>(episode.fault)];
  // Nobody is late by what his clock says, or with what is sent twice, and who is killed is late with nothing.
  const bool killed = fault.kind == "crash" && episode.client == client;
  if (!IsOn(scene, episode, client) || MovesAClock(fault) || fault.kind == "duplicate" || killed) {
    return Takes::kNothing;
  }
  if (fault.kind == "slow") return side == Side::kSession ? Takes::kItsTime : Takes::kNothing;
  if (fault.kind == "delay") return Takes::kItsDelay;
  const bool holds = std::ranges::find(kHoldingKinds, fault.kind) != kHoldingKinds.end();
  return holds ? Takes::kItsTime : Takes::kAll;
}

// How much time lies in at least one of the stretches.
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

// Appends what of a stall no fault takes.
void AddOwnPart(const Scene& scene, const SessionId& session, Side side, Span stalled,
                std::vector<Span>& own) {
  const std::vector<const FaultEpisode*> episodes = scene.EpisodesWithin(stalled);
  for (const FaultEpisode* episode : episodes) {
    if (TakesOf(scene, *episode, session.client, side) != Takes::kItsDelay) continue;
    stalled.from_ns += std::max(episode->asked_ns, episode->measured_ns);
  }
  for (const FaultEpisode* episode : episodes) {  // by their start
    if (TakesOf(scene, *episode, session.client, side) != Takes::kItsTime) continue;
    const int64_t before_ns = std::min(episode->from_ns, stalled.to_ns);
    if (stalled.from_ns < before_ns) own.push_back({stalled.from_ns, before_ns});
    stalled.from_ns = std::max(stalled.from_ns, episode->to_ns);
  }
  if (stalled.from_ns < stalled.to_ns) own.push_back(stalled);
}

// For how long within `when` the machine stalled a side of a session, and no fault held it up.
std::vector<Span> StalledWithin(const Scene& scene, const SessionId& session, Side side,
                                const Span& when) {
  std::vector<Span> own;
  for (const Stall* stall : scene.StallsWithin(when)) {
    for (const Span& held : HeldUpBy(*stall, session, side, when)) {
      AddOwnPart(scene, session, side, held, own);
    }
  }
  return own;
}

// Whether a fault lost something within a stretch that a side of a session may wait for ever after.
bool LostWithin(const Scene& scene, int32_t client, Side side, const Span& when) {
  return std::ranges::any_of(scene.EpisodesWithin(when), [&](const FaultEpisode* episode) {
    return TakesOf(scene, *episode, client, side) == Takes::kAll;
  });
}

// Whether a stall kept whoever extends the lease that ended at `end_ns` from doing so.
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
  // Not every watchdog tries again after it was not answered.
  const bool answered = hold.tried_outcome != EventType::kInfo && tried.to_ns <= end_ns;
  if (answered || tried.from_ns >= end_ns || tried.from_ns < end_ns - lease_ns) return false;
  const Span waited{tried.from_ns, std::min(tried.to_ns, end_ns)};
  return stalled_ns(waited) > (waited.to_ns - waited.from_ns) / 2;
}

}  // namespace

bool MachineIsToBlame(const Scene& scene, const Hold& hold, int64_t lease_end_ns, int64_t at_ns) {
  const int64_t extended_ns = std::max(hold.core.from_ns, lease_end_ns - ToNs(scene.facts.lease));
  if (hold.extended && KeptFromExtending(scene, hold, lease_end_ns) &&
      !LostWithin(scene, hold.client, Side::kWatchdog, {extended_ns, at_ns})) {
    return true;
  }
  if (LostWithin(scene, hold.client, Side::kSession, {hold.core.from_ns, at_ns})) return false;
  // The lease runs from when it was asked for.
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
    // What its client does after it gave up is none of the release's business.
    const bool its = stall->client == hold.client && stall->when.from_ns < hold.waited_ns;
    if (!its && !IsOnTheWay(*stall)) continue;
    AddOwnPart(scene, hold.owner(), Side::kSession,
               {std::max(stall->when.from_ns, sent_ns), stall->when.to_ns}, stalled);
    ends_ns.push_back(stall->when.to_ns);
  }
  return std::ranges::any_of(ends_ns, [&](int64_t end_ns) {
    std::vector<Span> before = stalled;
    for (Span& span : before) span.to_ns = std::min(span.to_ns, end_ns);
    return end_ns > lease_end_ns && end_ns - TotalNs(std::move(before)) <= lease_end_ns &&
           !LostWithin(scene, hold.client, Side::kSession, {hold.core.from_ns, end_ns});
  });
}

bool StalledForMostOf(const Scene& scene, const SessionId& session, const Span& when) {
  const int64_t stalled_ns = TotalNs(StalledWithin(scene, session, Side::kSession, when));
  return stalled_ns > (when.to_ns - when.from_ns) / 2 &&
         !LostWithin(scene, session.client, Side::kSession, when);
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
