#include "checker/evidence/stall_attribution.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace doublehold {
namespace {

Span ClipSpan(const Span& span, const Span& to) {
  return {std::max(span.from_ns, to.from_ns), std::min(span.to_ns, to.to_ns)};
}

std::vector<Span> CollectStalls(const Disturbances& disturbances, int32_t client, Side side,
                                const Span& when) {
  std::vector<Span> stalls;
  for (const Stall* stall : disturbances.StallsWithin(when)) {
    if (side == Side::kAcquire ? CanDelayLock(*stall, client) : CanDelay(*stall, client))
      stalls.push_back(ClipSpan(stall->when, when));
  }
  return stalls;
}

// The length of the union of the spans.
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

// The spans in which a fault stopped the client, or prolonged its section (Side::kSession only).
std::vector<Span> CollectFaultStops(const Disturbances& disturbances, int32_t client, Side side,
                                    const Span& when) {
  std::vector<Span> stops;
  for (const FaultEpisode* episode : disturbances.EpisodesWithin(when)) {
    const FaultTraits does = TraitsOf(FaultFor(disturbances.facts, *episode));
    const bool stops_client =
        does.Has(FaultTrait::kStops) || (does.Has(FaultTrait::kSlows) && side == Side::kSession);
    if (episode->client == client && stops_client)
      stops.push_back(ClipSpan({episode->from_ns, episode->to_ns}, when));
  }
  return stops;
}

// StalledNs, less the time in which a fault stopped the client or prolonged its section.
int64_t StalledWhileRunningNs(const Disturbances& disturbances, int32_t client, Side side,
                              const Span& when) {
  return BlockedTimeNs(disturbances, client, side, when) -
         TotalNs(CollectFaultStops(disturbances, client, side, when));
}

// Whether a stall may have prevented the extension of the lease that ended at `end_ns`.
bool StallPreventedExtension(const Disturbances& disturbances, const Hold& hold, int64_t end_ns) {
  if (!hold.extended) return false;
  const int64_t lease_ns = ToNs(disturbances.facts.lease);
  const Span last{std::max(hold.core.from_ns, end_ns - lease_ns), end_ns};
  if (StalledWhileRunningNs(disturbances, hold.client, Side::kWatchdog, last) >
      lease_ns / kStallsPerLease)
    return true;
  // Not every watchdog retries after an unanswered extension.
  const Span waited = ClipSpan(hold.tried, last);
  return hold.tried_outcome == EventType::kInfo && waited.from_ns < waited.to_ns &&
         StalledForMostOf(disturbances, hold.client, waited);
}

// Whether the hold would have ended by `lease_end_ns` without the time for which stalls delayed it.
bool WouldEndInTime(const Disturbances& disturbances, const Hold& hold, int64_t lease_end_ns,
                    int64_t at_ns) {
  // The lease runs from the invocation of the acquire. Once the release is invoked, its request is
  // under way, and a fault that stops the client does not delay the request.
  const int64_t sent_ns = std::min(at_ns, hold.core.to_ns);
  const int64_t stalled_ns =
      StalledWhileRunningNs(disturbances, hold.client, Side::kSession, {hold.asked_ns, sent_ns}) +
      StalledNs(disturbances, hold.client, {sent_ns, at_ns});
  return stalled_ns > 0 && at_ns - stalled_ns <= lease_end_ns;
}

}  // namespace

int64_t StalledNs(const Disturbances& disturbances, int32_t client, const Span& when) {
  return TotalNs(CollectStalls(disturbances, client, Side::kSession, when));
}

bool StallExplainsExpiry(const Disturbances& disturbances, const Hold& hold, int64_t lease_end_ns,
                         int64_t at_ns) {
  return StallPreventedExtension(disturbances, hold, std::min(lease_end_ns, at_ns)) ||
         WouldEndInTime(disturbances, hold, lease_end_ns, at_ns);
}

bool MachineMayDelayRelease(const Disturbances& disturbances, const Hold& hold,
                            int64_t lease_end_ns) {
  const std::vector<const Stall*> stalls =
      disturbances.StallsWithin({hold.core.to_ns, hold.done_ns});
  return std::ranges::any_of(stalls, [&](const Stall* stall) {
    return stall->when.to_ns > lease_end_ns &&
           WouldEndInTime(disturbances, hold, lease_end_ns, stall->when.to_ns);
  });
}

bool StalledForMostOf(const Disturbances& disturbances, int32_t client, const Span& when) {
  return StalledNs(disturbances, client, when) > (when.to_ns - when.from_ns) / 2;
}

int64_t BlockedTimeNs(const Disturbances& disturbances, int32_t client, Side side,
                      const Span& when) {
  return BlockedTimeNs(disturbances, {{client, when}}, side);
}

int64_t BlockedTimeNs(const Disturbances& disturbances, const std::vector<ClientSpan>& clients,
                      Side side) {
  std::vector<Span> still;
  for (const auto& [client, when] : clients) {
    std::ranges::copy(CollectStalls(disturbances, client, side, when), std::back_inserter(still));
    std::ranges::copy(CollectFaultStops(disturbances, client, side, when),
                      std::back_inserter(still));
  }
  return TotalNs(std::move(still));
}

int64_t BlockedOrStalledNs(const Disturbances& disturbances, int32_t client, Side side,
                           const Span& when) {
  std::vector<Span> still = CollectFaultStops(disturbances, client, side, when);
  for (const Stall* stall : disturbances.StallsWithin(when))
    still.push_back(ClipSpan(stall->when, when));
  return TotalNs(std::move(still));
}

const Stall* LongestStall(const Disturbances& disturbances, int32_t client, const Span& when) {
  const Stall* longest = nullptr;
  for (const Stall* stall : disturbances.StallsWithin(when)) {
    if (!CanDelay(*stall, client)) continue;
    if (longest == nullptr ||
        stall->when.to_ns - stall->when.from_ns > longest->when.to_ns - longest->when.from_ns) {
      longest = stall;
    }
  }
  return longest;
}

}  // namespace doublehold
