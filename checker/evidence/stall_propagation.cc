#include "checker/evidence/stall_propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"

namespace doublehold {
namespace {

// The latest time at which an operation of the hold may take effect.
int64_t DoneNs(const Hold& hold) { return std::max(hold.core.to_ns, hold.done_ns); }

// Returns the value of Hold::expired_by_stall for a hold.
Span FindExpiryByStall(const Disturbances& disturbances, const Hold& hold) {
  int64_t end_ns = hold.live.empty() ? hold.valid_until_ns : hold.live.front().to_ns;
  for (size_t i = hold.live.empty() ? 0 : 1; i <= hold.live.size(); ++i) {
    const bool again = i < hold.live.size();
    const int64_t until_ns = again ? hold.live[i].from_ns : hold.core.to_ns;
    int64_t late_ns = until_ns;
    // Whether the release was invoked within the lease.
    const bool in_time = !again && end_ns == hold.core.to_ns;
    if (in_time) {
      end_ns = hold.valid_until_ns;
      late_ns = DoneNs(hold);
    }
    const auto by_stall = [&] {
      return in_time && hold.unanswered ? MachineMayDelayRelease(disturbances, hold, end_ns)
                                        : StallExplainsExpiry(disturbances, hold, end_ns, late_ns);
    };
    if (end_ns < late_ns && by_stall()) {
      // Consequences of the expiry may show until a lease after the hold is live again.
      return {std::max(end_ns, hold.core.from_ns),
              again ? until_ns + ToNs(disturbances.facts.lease) : kForeverNs};
    }
    if (again) end_ns = hold.live[i].to_ns;
  }
  return {kForeverNs, kForeverNs};
}

// Returns the value of Hold::expired_by_stall for the release of an acquire of unknown outcome. The
// span begins at the release if stalls alone may explain that the release was late. Stalls explain
// this if they delayed the release past the lease, or took most of the wait for its answer. The
// second case counts because it is unknown how much of the lease was left at the release. For a
// harmless release, the span begins and ends at kForeverNs.
Span FindLateReleaseByStall(const Disturbances& disturbances, const Hold& cleanup) {
  const int64_t sent_ns = cleanup.core.to_ns;
  const int64_t end_ns = std::max(cleanup.valid_until_ns, sent_ns);
  const int64_t waited_ns = std::min(cleanup.waited_ns, cleanup.done_ns);
  const bool late = cleanup.unanswered
                        ? MachineMayDelayRelease(disturbances, cleanup, end_ns)
                        : end_ns < cleanup.done_ns &&
                              StallExplainsExpiry(disturbances, cleanup, end_ns, cleanup.done_ns);
  const bool by_stall =
      late || StalledForMostOf(disturbances, cleanup.client, {sent_ns, waited_ns});
  return {by_stall && !cleanup.harmless ? sent_ns : kForeverNs, kForeverNs};
}

// Returns the latest time at which an unanswered release may have been served. A stalled server
// serves pending requests when it continues.
int64_t ServedNs(const Disturbances& disturbances, const Hold& hold) {
  int64_t served_ns = hold.done_ns;
  for (const Stall* stall : disturbances.StallsWithin({hold.core.to_ns, hold.done_ns})) {
    if (CanDelay(*stall, hold.client)) served_ns = std::max(served_ns, stall->when.to_ns);
  }
  return served_ns;
}

// Returns the time from which a hold whose lease expired because of a stall may affect other
// owners. Returns kForeverNs for any other hold, and if the release is harmless or does not exist.
int64_t FirstEffectNs(const Hold& hold) {
  if (hold.harmless || !hold.released || hold.expired_by_stall.from_ns == kForeverNs)
    return kForeverNs;
  const int64_t effect_ns = hold.extended ? hold.core.from_ns : hold.core.to_ns;
  return std::max(effect_ns, hold.expired_by_stall.from_ns);
}

// Whether the overlap of two holds proves a violation.
bool ProvesViolation(const Hold& a, const Hold& b) {
  if (a.perhaps || b.perhaps) return false;
  return a.owner() != b.owner() && !(a.shared && b.shared) && Overlap(a.core, b.core);
}

// Taints the holds of a key from `from_ns` on, until no hold is under way. On a busy key, holds may
// be under way to the end of the run. So the taint ends at the latest one lease after the last
// release of a stalled holder or the last proven overlap. Requires `of_key` sorted by invocation.
// Returns the end of the taint.
int64_t TaintChain(int64_t from_ns, std::span<Hold* const> of_key, int64_t lease_ns) {
  int64_t under_way_ns = from_ns, limit_ns = from_ns;
  const Hold* longest = nullptr;
  for (Hold* hold : of_key) {
    if (hold->asked_ns > std::min(under_way_ns, limit_ns)) break;
    hold->tainted_from_ns = std::min(hold->tainted_from_ns, std::max(from_ns, hold->asked_ns));
    under_way_ns = std::max(under_way_ns, DoneNs(*hold));
    if (FirstEffectNs(*hold) < kForeverNs)
      limit_ns = std::max(limit_ns, Later(DoneNs(*hold), lease_ns));
    if (longest != nullptr && ProvesViolation(*longest, *hold)) {
      const int64_t proved_ns = std::min(longest->core.to_ns, hold->core.to_ns);
      limit_ns = std::max(limit_ns, Later(proved_ns, lease_ns));
    }
    if (longest == nullptr || longest->core.to_ns < hold->core.to_ns) longest = hold;
  }
  return std::min(under_way_ns, limit_ns);
}

void TaintKey(std::vector<Hold*> of_key, int64_t lease_ns) {
  std::ranges::stable_sort(of_key, {}, [](const Hold* hold) { return hold->asked_ns; });
  std::vector<int64_t> effect_ns;  // FirstEffectNs of stalled holders
  std::vector<int64_t> done_ns;    // by hold: the latest DoneNs of this and all earlier holds
  for (const Hold* hold : of_key) {
    if (const int64_t from_ns = FirstEffectNs(*hold); from_ns < kForeverNs)
      effect_ns.push_back(from_ns);
    done_ns.push_back(std::max(DoneNs(*hold), done_ns.empty() ? 0 : done_ns.back()));
  }
  std::ranges::sort(effect_ns);
  int64_t over_ns = -1;
  for (const int64_t from_ns : effect_ns) {
    if (from_ns <= over_ns) continue;
    const auto first = std::ranges::lower_bound(done_ns, from_ns) - done_ns.begin();
    over_ns = TaintChain(from_ns, std::span(of_key).subspan(static_cast<size_t>(first)), lease_ns);
  }
}

// Returns the stall that ended last among the stalls that had begun by `at_ns`. Returns null if no
// stall had begun.
const Stall* FindLastStallBegunBy(const Disturbances& disturbances, int64_t at_ns) {
  const std::vector<const Stall*> under_way = disturbances.StallsWithin({at_ns, at_ns + 1});
  if (!under_way.empty()) return under_way.back();
  const auto next = std::ranges::upper_bound(disturbances.stalls, at_ns, {},
                                             [](const Stall& stall) { return stall.when.to_ns; });
  return next == disturbances.stalls.begin() ? nullptr : &*std::prev(next);
}

}  // namespace

void MarkTaintedHolds(const Disturbances& disturbances, Holds& holds) {
  if (disturbances.stalls.empty()) return;
  std::map<uint16_t, std::vector<Hold*>> of_key;
  for (Hold& hold : holds.all) {
    if (hold.unanswered) hold.done_ns = ServedNs(disturbances, hold);
    hold.expired_by_stall = FindExpiryByStall(disturbances, hold);
    if (FirstEffectNs(hold) < kForeverNs) of_key[hold.key];
  }
  for (Hold& cleanup : holds.releases_of_unknown_acquires) {
    if (cleanup.unanswered) cleanup.done_ns = ServedNs(disturbances, cleanup);
    cleanup.expired_by_stall = FindLateReleaseByStall(disturbances, cleanup);
    if (FirstEffectNs(cleanup) < kForeverNs) of_key[cleanup.key];
  }
  if (of_key.empty()) return;
  for (auto* some : {&holds.all, &holds.releases_of_unknown_acquires}) {
    for (Hold& hold : *some) {
      if (const auto key = of_key.find(hold.key); key != of_key.end()) key->second.push_back(&hold);
    }
  }
  for (auto& [key, all] : of_key) TaintKey(std::move(all), ToNs(disturbances.facts.lease));
}

std::string AftermathClause(const Disturbances& disturbances, const Hold* first, const Hold* second,
                            int64_t at_ns) {
  int64_t since_ns = kForeverNs;
  for (const Hold* hold : {first, second}) {
    if (hold != nullptr && hold->DoubtfulAt(at_ns))
      since_ns = std::min({since_ns, hold->tainted_from_ns, hold->expired_by_stall.from_ns});
  }
  if (since_ns == kForeverNs) return {};
  const Stall* last = FindLastStallBegunBy(disturbances, since_ns);
  const std::string which =
      last == nullptr ? ""
                      : fmt::format(" ({}, {})", ProcessName(last->client), During(last->when));
  return fmt::format("what befell the key since {} may come of a stall of the machine{}",
                     At(since_ns), which);
}

}  // namespace doublehold
