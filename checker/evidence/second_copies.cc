#include "checker/evidence/second_copies.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/evidence/library.h"
#include "checker/evidence/traits.h"

namespace doublehold {
namespace {

bool MakesSecondCopy(const RunFacts& facts, const FaultFact& fault, bool granted, Copies which) {
  if (!IsDescribed(fault) || Does(fault, FaultTrait::kRepeats)) return true;
  return which == Copies::kAll && MayResend(facts) &&
         (KeepsMessages(fault) || (LosesMessages(fault) && !granted));
}

// Follows the calls of one key in the order of time.
class CopySearch {
 public:
  CopySearch(const Evidence& evidence, uint16_t key, CopyQueue queue, Copies which)
      : evidence_(evidence),
        queue_(queue),
        which_(which),
        used_(evidence.possessions().at(key)),
        waits_(evidence.waits().at(key)) {}

  void HandleInvocation(const Call& call) {
    Session& own = sessions_[call.session];
    const bool acquires = call.op == Op::kAcquire;
    const bool holds = acquires ? call.Ok() || !own.held.empty() : own.held.contains(call.hold);
    for (const size_t i : own.live) {
      int64_t& until_ns = copies_[i].may.to_ns;
      if (until_ns >= call.from_ns && (holds || MayBeReentrant(evidence_.facts())))
        until_ns = std::max(until_ns, LeaseEndNs(call, call.DoneNs(), holds));
    }
    if (acquires) {
      if (own.since_ns < 0) own.since_ns = call.from_ns;
      own.has_unknown = own.has_unknown || call.outcome == EventType::kInfo;
      AddCopy(call, holds, own);
      if (call.Ok()) own.held.insert(call.hold);
    } else if (call.op == Op::kRelease) {
      own.held.erase(call.hold);
      // The session may count itself inside, and re-enter without asking a server.
      own.may_be_inside = own.may_be_inside || call.outcome == EventType::kInfo;
    }
  }

  // Requires a granted acquire, at the time of its answer.
  void HandleGrant(const Call& grant) {
    Session& own = sessions_[grant.session];
    const std::optional<int64_t> queued_ns = QueuedNs(own, grant);
    if (!own.has_unknown) own.since_ns = -1;
    if (grant.again || grant.answer[2] != 0 || own.may_be_inside) return;
    for (auto& [session, other] : sessions_) {
      if (session == grant.session && MayBeReentrant(evidence_.facts())) continue;
      std::erase_if(other.live, [&](size_t i) {
        const std::optional<int64_t> after_ns = waits_of_[i] ? queued_ns : grant.from_ns;
        if (!after_ns || !Before(arrived_ns_[i], *after_ns)) return false;
        copies_[i].may.to_ns = std::min(copies_[i].may.to_ns, grant.to_ns);
        return true;
      });
    }
  }

  KeyTimeline Finish() && { return KeyTimeline(std::move(copies_)); }

 private:
  struct Session {
    std::set<uint64_t> held;   // granted and not released
    std::vector<size_t> live;  // copies that no grant has ended, as indices into `copies_`
    int64_t since_ns = -1;     // first acquire since its last grant; -1: none
    bool has_unknown = false;  // an acquire is of unknown outcome: it may still be queued
    bool may_be_inside = false;
  };

  void AddCopy(const Call& call, bool holds, Session& own) {
    const Span asked{call.from_ns, call.to_ns};
    const auto arrival_ns = SecondCopyArrivalNs(evidence_.disturbances(), call.session.client,
                                                asked, call.Ok(), which_);
    if (!arrival_ns) return;
    const bool waits = MayHaveQueue(evidence_.facts()) && !IsAlone(call, *arrival_ns);
    own.live.push_back(copies_.size());
    int64_t end_ns = waits ? kNeverNs : LeaseEndNs(call, *arrival_ns, holds);
    if (evidence_.disturbed().MayMoveClocks({call.from_ns, end_ns})) end_ns = kNeverNs;
    copies_.push_back({&call, {call.from_ns, end_ns}, 0});
    arrived_ns_.push_back(*arrival_ns);
    waits_of_.push_back(waits);
  }

  // Whether a copy enters at once: no other session can use the key until it has arrived.
  [[nodiscard]] bool IsAlone(const Call& call, int64_t arrival_ns) const {
    const Span until_arrival{call.from_ns, arrival_ns};
    return IsReentrant(evidence_.facts()) && evidence_.calls().complete &&
           !used_.MeetsOther(call.session, until_arrival) &&
           !waits_.MeetsOther(call.session, until_arrival) &&
           std::ranges::none_of(sessions_, [&](const auto& other) {
             return other.first != call.session &&
                    std::ranges::any_of(other.second.live, [&](size_t i) {
                      return copies_[i].may.to_ns >= call.from_ns;
                    });
           });
  }

  // When a lease that the call sets at `since_ns` ends.
  [[nodiscard]] int64_t LeaseEndNs(const Call& call, int64_t since_ns, bool holds) const {
    const RunFacts& facts = evidence_.facts();
    const bool endless = holds || LockHas(facts, LockTrait::kSession) || !LeasesEnd(facts);
    const int64_t lease_ns =
        evidence_.renewals().LongestLeaseNs(call.key, call.session, call.to_ns);
    return endless ? kNeverNs : Later(since_ns, lease_ns);
  }

  // When the session of the grant joined the queue at the earliest; nullopt if the order of the
  // queue is not known, or a copy may have kept the place of the session.
  [[nodiscard]] std::optional<int64_t> QueuedNs(const Session& own, const Call& grant) const {
    const bool has_copy = std::ranges::any_of(
        own.live, [&](size_t i) { return copies_[i].may.to_ns >= grant.from_ns; });
    if (queue_ == CopyQueue::kAnyOrder || has_copy) return std::nullopt;
    return own.since_ns;
  }

  const Evidence& evidence_;
  const CopyQueue queue_;
  const Copies which_;
  const KeyTimeline& used_;
  const KeyTimeline& waits_;
  std::map<SessionId, Session> sessions_;
  // Parallel: the copies, when each has arrived at the latest, and whether it may wait in a queue.
  std::vector<Possession> copies_;
  std::vector<int64_t> arrived_ns_;
  std::vector<bool> waits_of_;
};

}  // namespace

std::optional<int64_t> SecondCopyArrivalNs(const Disturbances& disturbances, int32_t client,
                                           const Span& when, bool granted, Copies which) {
  std::optional<int64_t> arrival_ns;
  const auto note = [&](int64_t delayed_until_ns) {
    arrival_ns = std::max({arrival_ns.value_or(0), when.to_ns, delayed_until_ns});
  };
  const RunFacts& facts = disturbances.facts;
  // Equal times prove no order.
  const Span around{when.from_ns - 1, when.to_ns + 1};
  if (MayResend(facts)) {
    for (const Stall* stall : LongLockStalls(disturbances, client, around)) note(stall->when.to_ns);
  }
  for (const FaultEpisode* episode : disturbances.EpisodesWithin(around)) {
    const FaultFact& fault = FaultFor(facts, *episode);
    if (ConcernsClient(*episode, fault, client) && MakesSecondCopy(facts, fault, granted, which))
      note(episode->to_ns);
  }
  if (!arrival_ns) return std::nullopt;
  // Faults and stalls may also delay a copy that they did not make, one after the other. Between
  // them, it may be under way for a while, because short stalls are not recorded.
  const int64_t gap_ns = ToNs(facts.lease) / kShortestStallsPerLease;
  for (int64_t before_ns = -1; before_ns < *arrival_ns;) {
    before_ns = *arrival_ns;
    const Span under_way{around.from_ns, Later(before_ns, gap_ns)};
    for (const FaultEpisode* episode : disturbances.EpisodesWithin(under_way)) {
      const FaultFact& fault = FaultFor(facts, *episode);
      const bool stops_server = ActsOnLockServers(*episode, fault) && StopsServers(fault);
      const bool keeps = !IsDescribed(fault) || KeepsMessages(fault) || stops_server;
      if (ConcernsClient(*episode, fault, client) && keeps) note(episode->to_ns);
    }
    for (const Stall* stall : disturbances.StallsWithin(under_way)) {
      if (CanDelayLock(*stall, client)) note(stall->when.to_ns);
    }
  }
  return arrival_ns;
}

Possessions FindSecondCopies(const Evidence& evidence, CopyQueue queue, Copies which) {
  struct Moment {
    int64_t at_ns = 0;
    bool grants = false;  // sorted after invocations of the same instant
    const Call* call = nullptr;
  };
  std::vector<Moment> moments;
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
    moments.push_back({call.from_ns, false, &call});
    if (call.op == Op::kAcquire && call.Ok()) moments.push_back({call.to_ns, true, &call});
  }
  std::ranges::stable_sort(moments, {},
                           [](const Moment& m) { return std::pair(m.at_ns, m.grants); });
  std::map<uint16_t, CopySearch> keys;
  for (const auto& [key, timeline] : evidence.possessions())
    keys.try_emplace(key, evidence, key, queue, which);
  for (const Moment& moment : moments) {
    CopySearch& search = keys.at(moment.call->key);
    if (moment.grants) search.HandleGrant(*moment.call);
    if (!moment.grants) search.HandleInvocation(*moment.call);
  }
  Possessions found;
  for (auto& [key, search] : keys) found.emplace(key, std::move(search).Finish());
  return found;
}

std::optional<Why> MayBeHadByCopies(const Evidence& evidence, uint16_t key, const Span& when,
                                    int64_t for_ns) {
  const RunFacts& facts = evidence.facts();
  const auto copies = evidence.imposed_copies().find(key);
  if (copies == evidence.imposed_copies().end() || !copies->second.Meets(when)) return std::nullopt;
  const Renewals& renewals = evidence.renewals();
  const bool endless = !LeasesEnd(facts) || LockHas(facts, LockTrait::kSession);
  int64_t leases_ns = 0;
  std::vector<Span> had;
  const Call* first = nullptr;
  for (const Possession& copy : copies->second.all()) {
    if (copy.may.from_ns > when.to_ns) break;
    if (copy.may.to_ns < when.from_ns) continue;
    if (first == nullptr) first = copy.acquire;
    had.push_back({std::max(copy.may.from_ns, when.from_ns), std::min(copy.may.to_ns, when.to_ns)});
    const SessionId& session = copy.acquire->session;
    const int64_t last_ns = renewals.LastNs(key, session, when.to_ns);
    const int64_t renewed_ns = std::max<int64_t>(last_ns - when.from_ns, 0);
    const int64_t lease_ns = renewals.LongestLeaseNs(key, session, when.to_ns);
    leases_ns = endless ? kNeverNs : Later(leases_ns, Later(lease_ns, renewed_ns));
  }
  int64_t had_ns = 0;
  for (const Span& span : MergeSpans(std::move(had))) had_ns += span.to_ns - span.from_ns;
  if (std::min(had_ns, leases_ns) >= for_ns) return Why{.what = Why::What::kTwice, .call = first};
  return std::nullopt;
}

std::optional<Why> MayBeFreedByCopy(const Evidence& evidence, const SessionId& session,
                                    uint16_t key, const Span& when) {
  for (const Call* release : evidence.calls().Of(Op::kRelease, key)) {
    const bool checked = release->Ok() && release->answer[0] == 0;
    if (release->from_ns > when.to_ns || (checked && release->session != session)) continue;
    const Span asked{release->from_ns, release->to_ns};
    const auto arrival_ns =
        SecondCopyArrivalNs(evidence.disturbances(), release->session.client, asked, release->Ok());
    if (arrival_ns && *arrival_ns >= when.from_ns)
      return Why{.what = Why::What::kTwice, .call = release};
  }
  return std::nullopt;
}

std::optional<Why> MayMeetOwnCopy(const Evidence& evidence, const Call& call) {
  const Possession* copy = evidence.second_copies().at(call.key).FindOf(
      call.session, {call.from_ns, call.from_ns}, &call);
  if (copy == nullptr) return std::nullopt;
  return Why{.what = Why::What::kTwice, .call = copy->acquire};
}

}  // namespace doublehold
