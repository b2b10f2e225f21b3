#include "checker/claims/library/free_intervals.h"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/library.h"

namespace doublehold {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

class KeyTimeline {
 public:
  KeyTimeline(const Evidence& evidence, const LeaseEnds& lease_ends)
      : evidence_(evidence), lease_ends_(lease_ends) {}

  void Add(const Call& call) {
    // A refused acquire of several keys may have held this key until its refusal.
    if (call.op == Op::kAcquire && (call.outcome != EventType::kFail || call.AsksForSeveralKeys()))
      acquires_.push_back(&call);
    if (call.op == Op::kRelease && call.outcome != EventType::kInfo)
      released_.emplace(call.hold, &call);
    if (call.op == Op::kAcquire && call.outcome == EventType::kInfo) ++unknown_[call.session];
  }

  [[nodiscard]] std::vector<PossibleHold> Find(Free free) const {
    std::vector<PossibleHold> holds;
    for (size_t i = 0; i < acquires_.size(); ++i) {
      const Call& call = *acquires_[i];
      int64_t end_ns = call.Ok()                          ? HoldEndNs(i)
                       : call.outcome == EventType::kFail ? call.to_ns
                                                          : UnknownEndNs(call);
      if (free == Free::kPerhaps && end_ns == kNever) end_ns = lease_ends_.LikelyNs(call);
      holds.push_back({&call, {call.from_ns, end_ns}});
    }
    return holds;
  }

 private:
  [[nodiscard]] bool IsOnOneNode() const { return evidence_.facts().nodes <= 1; }

  [[nodiscard]] int64_t HoldEndNs(size_t index) const {
    const Call& call = *acquires_[index];
    const auto release = released_.find(call.hold);
    const bool answered = release != released_.end();
    if (answered && (release->second->Ok() || IsOnOneNode())) return release->second->to_ns;
    int64_t end_ns = lease_ends_.LatestNs(call);
    if (answered) end_ns = std::max(end_ns, release->second->to_ns);
    const auto later = std::span(acquires_).subspan(index + 1);
    const auto within_lease = std::ranges::upper_bound(later, end_ns, {}, &Call::from_ns);
    if (std::any_of(later.begin(), within_lease,
                    [&](const Call* own) { return own->session == call.session; }))
      end_ns = kNever;
    for (const Call* acquire : later) {
      const Call& other = *acquire;
      if (other.from_ns > end_ns) break;
      const bool is_own = other.session == call.session;
      const bool exclusive = other.Ok() && other.answer[2] == 0 && !other.again;
      // A session that was active at the new grant, or later, may still hold its lock.
      const bool after =
          Before(call.to_ns, other.from_ns) && Before(LastActiveNs(call), other.to_ns);
      if (!is_own && exclusive && after) return std::min(end_ns, other.to_ns);
    }
    return end_ns;
  }

  [[nodiscard]] int64_t LastActiveNs(const Call& call) const {
    const Hold* hold = evidence_.holds().Find(call.hold);
    return hold == nullptr ? kNever : hold->core.to_ns;
  }

  [[nodiscard]] int64_t UnknownEndNs(const Call& call) const {
    const auto release = released_.find(call.hold);
    if (!IsOnOneNode() || call.hold == 0 || call.again || release == released_.end()) return kNever;
    const Call& freed = *release->second;
    if (!freed.Ok() || freed.answer[0] != 0 || unknown_.at(call.session) > 1) return kNever;
    // The release may have freed an earlier hold of the session, which has no answered release.
    const bool has_another = std::ranges::any_of(acquires_, [&](const Call* other) {
      return other->session == call.session && other->Ok() && !released_.contains(other->hold) &&
             other->from_ns <= freed.to_ns && !Before(lease_ends_.LatestNs(*other), freed.from_ns);
    });
    return has_another ? kNever : freed.to_ns;
  }

  const Evidence& evidence_;
  const LeaseEnds& lease_ends_;
  std::vector<const Call*> acquires_;                   // acquires that may have been granted
  std::unordered_map<uint64_t, const Call*> released_;  // answered releases, by hold
  std::map<SessionId, int64_t> unknown_;                // number of acquires of unknown outcome
};

// Returns the free intervals of one key. `probed_ns`: the first probe.
std::vector<FreeInterval> FindGaps(const std::vector<PossibleHold>& holds, int64_t probed_ns,
                                   const Holds& granted) {
  std::vector<FreeInterval> gaps;
  FreeInterval next;
  for (const auto& [acquire, when] : holds) {
    if (when.from_ns >= probed_ns) break;
    next.when.to_ns = when.from_ns;
    if (next.when.from_ns < next.when.to_ns) gaps.push_back(next);
    if (when.to_ns >= next.when.from_ns)
      next = {.when = {when.to_ns, kNever}, .last = granted.Find(acquire->hold)};
  }
  next.when.to_ns = probed_ns;
  if (next.when.from_ns < next.when.to_ns) gaps.push_back(next);
  return gaps;
}

}  // namespace

std::vector<PossibleHold> FindGrantsDuring(const std::vector<PossibleHold>& holds,
                                           const Call& acquire) {
  auto hold = std::ranges::lower_bound(holds, acquire.from_ns, {},
                                       [](const PossibleHold& h) { return h.when.from_ns; });
  std::vector<PossibleHold> grants;
  for (; hold != holds.end() && hold->when.from_ns <= acquire.to_ns; ++hold) {
    if (!hold->acquire->Ok()) return {};
    if (hold->acquire->to_ns <= acquire.to_ns) grants.push_back(*hold);
  }
  std::ranges::stable_sort(grants, {}, [](const PossibleHold& h) { return h.acquire->to_ns; });
  return grants;
}

LeaseEnds::LeaseEnds(const Evidence& evidence)
    : may_extend_unrecorded_(MayExtendUnrecorded(evidence.facts())) {
  const Disturbances& disturbances = evidence.disturbances();
  const auto note_exit = [&](int32_t client, int64_t at_ns) {
    int64_t& gone_ns = gone_ns_.try_emplace(client, at_ns).first->second;
    gone_ns = std::min(gone_ns, at_ns);
  };
  for (const FaultEpisode& episode : disturbances.episodes) {
    if (IsCrash(FaultFor(disturbances.facts, episode))) note_exit(episode.client, episode.to_ns);
  }
  for (const Event& event : evidence.history().events) {
    if (event.op == Op::kDied) note_exit(event.client, event.at_ns);
    if (event.op == Op::kRelease && event.type == EventType::kInfo)
      gave_up_ns_.emplace(event.hold, event.at_ns);
    if (event.op != Op::kExtend) continue;
    Extensions& of_hold = extensions_[event.hold];
    if (event.type == EventType::kInvoke) {
      of_hold.asked_ns = event.at_ns;
      of_hold.lease_ns = event.value[0];
    }
    of_hold.open = event.type == EventType::kInvoke;
    if (event.type == EventType::kInfo) {
      of_hold.unknown_lease_ns = std::max(of_hold.unknown_lease_ns, of_hold.lease_ns);
      of_hold.unknown_ns = event.at_ns;
    }
    if (event.type == EventType::kOk) {
      const int64_t until_ns = std::max(event.at_ns + of_hold.lease_ns,
                                        Later(event.value[0], event.at_ns - of_hold.asked_ns));
      of_hold.until_ns = std::max(of_hold.until_ns, until_ns);
    }
  }
}

int64_t LeaseEnds::GoneNs(int32_t client) const {
  const auto gone = gone_ns_.find(client);
  return gone == gone_ns_.end() ? kForeverNs : gone->second;
}

int64_t LeaseEnds::LikelyNs(const Call& call) const {
  int64_t gone_ns = GoneNs(call.session.client);
  if (!call.Ok()) return Later(std::min(call.to_ns, gone_ns), call.asked[0]);
  const auto given_up = gave_up_ns_.find(call.hold);
  if (given_up != gave_up_ns_.end()) gone_ns = std::min(gone_ns, given_up->second);
  return LatestNs(call, call.to_ns, gone_ns);
}

int64_t LeaseEnds::LatestNs(const Call& call) const {
  const int64_t end_ns = LatestNs(call, kForeverNs, kForeverNs);
  return end_ns >= kForeverNs ? kNever : end_ns;
}

int64_t LeaseEnds::LatestNs(const Call& call, int64_t arrival_ns, int64_t gone_ns) const {
  const int64_t lease_ns = call.asked[0];
  const bool for_ever = call.answer[0] >= kForeverNs;
  int64_t end_ns = call.to_ns + lease_ns;
  if (!for_ever) end_ns = std::max(end_ns, call.answer[0] + call.to_ns - call.from_ns);
  const auto extend = [&](int64_t at_ns, int64_t by_ns) {
    end_ns = std::max(end_ns, Later(std::max(at_ns, arrival_ns), by_ns));
  };
  if (may_extend_unrecorded_ || for_ever) extend(gone_ns, lease_ns);
  const auto found = extensions_.find(call.hold);
  if (found == extensions_.end()) return end_ns;
  const Extensions& of_hold = found->second;
  if (of_hold.until_ns >= kForeverNs)
    extend(gone_ns, std::max(lease_ns, of_hold.lease_ns));
  else
    end_ns = std::max(end_ns, of_hold.until_ns);
  if (of_hold.unknown_lease_ns >= 0)
    extend(of_hold.unknown_ns, std::max(lease_ns, of_hold.unknown_lease_ns));
  if (of_hold.open) extend(of_hold.asked_ns, std::max(lease_ns, of_hold.lease_ns));
  return end_ns;
}

PossibleHolds FindPossibleHolds(const Evidence& evidence, Free free) {
  const LeaseEnds lease_ends(evidence);
  std::map<uint16_t, KeyTimeline> keys;
  for (const Call& call : evidence.calls().all) {
    if (call.op == Op::kAcquire || call.op == Op::kRelease)
      keys.try_emplace(call.key, evidence, lease_ends).first->second.Add(call);
  }
  PossibleHolds holds;
  for (const auto& [key, timeline] : keys) holds[key] = timeline.Find(free);
  return holds;
}

std::map<uint16_t, std::vector<FreeInterval>> FindFreeIntervals(const Evidence& evidence,
                                                                const PossibleHolds& holds) {
  std::map<uint16_t, int64_t> probed_ns;
  for (const Event& event : evidence.history().events) {
    if (event.op == Op::kProbe) probed_ns.try_emplace(event.key, event.at_ns);
  }
  std::map<uint16_t, std::vector<FreeInterval>> intervals;
  for (const auto& [key, of_key] : holds) {
    const auto probed = probed_ns.find(key);
    intervals[key] =
        FindGaps(of_key, probed == probed_ns.end() ? kNever : probed->second, evidence.holds());
  }
  return intervals;
}

}  // namespace doublehold
