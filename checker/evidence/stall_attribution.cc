#include "checker/evidence/stall_attribution.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace doublehold {
namespace {

Span Cut(const Span& span, const Span& to) {
  return {std::max(span.from_ns, to.from_ns), std::min(span.to_ns, to.to_ns)};
}

std::vector<Span> StallsOf(const Disturbances& disturbances, int32_t client, const Span& when) {
  std::vector<Span> stalls;
  for (const Stall* stall : disturbances.StallsWithin(when)) {
    if (CanDelay(*stall, client)) stalls.push_back(Cut(stall->when, when));
  }
  return stalls;
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

// The times in which a fault stopped the client, or kept its session at its work.
std::vector<Span> StopsOf(const Disturbances& disturbances, int32_t client, Side side,
                          const Span& when) {
  std::vector<Span> stops;
  for (const FaultEpisode* episode : disturbances.EpisodesWithin(when)) {
    const FaultTraits does = TraitsOf(FaultFor(disturbances.facts, *episode));
    const bool stops_it =
        does.Has(FaultTrait::kStops) || (does.Has(FaultTrait::kSlows) && side == Side::kSession);
    if (episode->client == client && stops_it)
      stops.push_back(Cut({episode->from_ns, episode->to_ns}, when));
  }
  return stops;
}

// As StalledNs, without the time in which a fault stopped the client: then no stall delayed it.
int64_t StalledWhileRunningNs(const Disturbances& disturbances, int32_t client, Side side,
                              const Span& when) {
  return BlockedTimeNs(disturbances, client, side, when) -
         TotalNs(StopsOf(disturbances, client, side, when));
}

// Whether a stall may have prevented the extension of the lease that ended at `end_ns`.
bool KeptFromExtending(const Disturbances& disturbances, const Hold& hold, int64_t end_ns) {
  if (!hold.extended) return false;
  const int64_t lease_ns = ToNs(disturbances.facts.lease);
  const Span last{std::max(hold.core.from_ns, end_ns - lease_ns), end_ns};
  if (StalledWhileRunningNs(disturbances, hold.client, Side::kWatchdog, last) >
      lease_ns / kStallsPerLease)
    return true;
  // Not every watchdog retries after an unanswered extension.
  const Span waited = Cut(hold.tried, last);
  return hold.tried_outcome == EventType::kInfo && waited.from_ns < waited.to_ns &&
         StalledForMostOf(disturbances, hold.client, waited);
}

// Whether the hold would have ended by `lease_end_ns` without the time that it was stalled.
bool WouldEndInTime(const Disturbances& disturbances, const Hold& hold, int64_t lease_end_ns,
                    int64_t at_ns) {
  // The lease runs from the invocation of the acquire. From its release on, a message is under way.
  const int64_t sent_ns = std::min(at_ns, hold.core.to_ns);
  const int64_t stalled_ns =
      StalledWhileRunningNs(disturbances, hold.client, Side::kSession, {hold.asked_ns, sent_ns}) +
      StalledNs(disturbances, hold.client, {sent_ns, at_ns});
  return stalled_ns > 0 && at_ns - stalled_ns <= lease_end_ns;
}

}  // namespace

int64_t StalledNs(const Disturbances& disturbances, int32_t client, const Span& when) {
  return TotalNs(StallsOf(disturbances, client, when));
}

bool StallExplainsExpiry(const Disturbances& disturbances, const Hold& hold, int64_t lease_end_ns,
                         int64_t at_ns) {
  return KeptFromExtending(disturbances, hold, std::min(lease_end_ns, at_ns)) ||
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
  std::vector<Span> still = StallsOf(disturbances, client, when);
  std::ranges::copy(StopsOf(disturbances, client, side, when), std::back_inserter(still));
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
