#include "checker/explain/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checker/claims/data/stock.h"
#include "checker/claims/limits/limit.h"
#include "checker/evidence/names.h"
#include "checker/explain/double_grant.h"
#include "checker/explain/expired_hold.h"
#include "checker/sentences/violation_text.h"
#include "checker/verdict/checker.h"

namespace doublehold {
namespace {

Explanation Unexplained(std::string because) { return {.because = std::move(because)}; }

const Hold* ReferencedHold(const ViolationContext& record, const std::optional<HoldRef>& ref) {
  return ref ? record.holds.Find(ref->hold) : nullptr;
}

// Explains why one of two holds was granted during the other hold.
Explanation ExplainOverlap(const ViolationContext& record, const Hold& a, const Hold& b,
                           int64_t at_ns) {
  const Hold& first = a.core.from_ns <= b.core.from_ns ? a : b;
  const Hold& second = &first == &a ? b : a;
  if (!first.PromisedAt(at_ns)) return ExplainLateHold(record, first, at_ns, first.core.to_ns);
  if (!second.PromisedAt(at_ns)) return ExplainLateHold(record, second, at_ns, second.core.to_ns);
  const bool at_entry = at_ns == first.entered_ns || at_ns == second.entered_ns;
  if (at_ns > second.core.from_ns && !at_entry)
    return Unexplained("a lease was extended while another client held the key");
  return ExplainDoubleGrant(record, first);
}

// Explains an operation under one hold that harmed another hold. If one of the leases was over,
// explains why that hold outlived its lease. If both leases were valid, explains the double grant.
Explanation ExplainHarm(const ViolationContext& record, const Violation& violation) {
  const Hold* by = ReferencedHold(record, violation.first);
  const Hold* other = ReferencedHold(record, violation.second);
  if (by != nullptr && by->ExpiredBefore(violation.to_ns)) {
    return ExplainLateHold(record, *by, violation.to_ns, violation.to_ns);
  }
  if (by == nullptr || other == nullptr) return Unexplained("only one of two holds is known");
  if (violation.stale && other->ExpiredBefore(other->core.to_ns)) {
    return ExplainLateHold(record, *other, other->core.to_ns, other->core.to_ns);
  }
  if (!Overlap(by->core, other->core)) return Unexplained("the two holds did not overlap");
  return ExplainOverlap(record, *by, *other, std::max(by->core.from_ns, other->core.from_ns));
}

// Returns the token that the writes under a hold showed to the store. Returns 0 if they showed
// none: then the store compared nothing, whatever token the lock granted.
int64_t TokenShown(const ViolationContext& record, const Hold* hold) {
  if (hold != nullptr) {
    for (const Call* call : record.UsesOf(*hold)) {
      if (call->op == Op::kWrite) return call->asked[3];
    }
  }
  return 0;
}

// Explains a grant whose token is not larger than an earlier one. The cause is the last fault since
// the earlier acquire that can lose the token counter. The counter is a separate key on a lock
// server.
Explanation ExplainLostCounter(const ViolationContext& record, const Hold* one, const Hold* other,
                               int64_t at_ns) {
  const int64_t since_ns =
      one == nullptr || other == nullptr ? 0 : std::min(one->asked_ns, other->asked_ns);
  const std::vector<std::string>& keys = record.history.facts.keys;
  const FaultEpisode* last = nullptr;
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    const FaultFact& fault = record.FaultOf(episode);
    const bool meanwhile = episode.from_ns <= at_ns && episode.to_ns >= since_ns;
    const bool of_lock = !fault.key.empty() && std::ranges::find(keys, fault.key) != keys.end();
    if (meanwhile && LosesKeys(fault) && !fault.keeps_data && !of_lock &&
        !ActsOnStoreAlone(episode, fault))
      last = &episode;
  }
  if (last == nullptr) return Unexplained("no fault is recorded that loses a counter");
  return {.cause = Cause::kCounterWentBack,
          .because = FaultClause(record.disturbances, *last),
          .episodes = {last}};
}

// Whether the violation began after the release of its first hold was invoked.
bool IsAfterRelease(const ViolationContext& record, const Violation& violation) {
  const Hold* hold = ReferencedHold(record, violation.first);
  return hold != nullptr && hold->released && hold->core.to_ns < violation.from_ns;
}

Explanation ExplainStock(const ViolationContext& record, const Violation& violation) {
  const Hold* by = ReferencedHold(record, violation.first);
  const Hold* over = ReferencedHold(record, violation.second);
  if (by == nullptr && over == nullptr) {
    for (const ItemCount& item : CountItems(record.history)) {
      if (item.Twice() == 0 || item.Twice() != item.Wrong()) continue;
      return {
          .cause = Cause::kResent,
          .because = "a sale was tried again after a write that was not answered, and both ran"};
    }
    return Unexplained("no single write is to blame");
  }
  const int64_t token = TokenShown(record, by);
  const int64_t other = TokenShown(record, over);
  if (token == 0 || other == 0) return ExplainHarm(record, violation);
  // Whether `after` was acquired after the grant of `before`, but got no larger token.
  const auto got_no_larger = [](const Hold& before, int64_t token_before, const Hold& after,
                                int64_t token) {
    return before.core.from_ns < after.asked_ns && token <= token_before;
  };
  if (got_no_larger(*by, token, *over, other) || got_no_larger(*over, other, *by, token))
    return ExplainLostCounter(record, by, over, violation.from_ns);
  if (!violation.stale) return ExplainHarm(record, violation);
  const bool by_is_late = by->ExpiredBefore(violation.to_ns);
  const Hold& late = by_is_late ? *by : *over;
  const int64_t at_ns = by_is_late ? violation.to_ns : over->core.to_ns;
  return {.cause = Cause::kStaleWriteTaken,
          .because = fmt::format("the store took {}'s write with token {}, and its lease was over "
                                 "since {}",
                                 OwnerName(record.disturbances, late.owner()),
                                 TokenShown(record, &late), At(late.LeaseEndBefore(at_ns)))};
}

// Explains wrong data by the faults that lost data of the store, if nothing else explains them. If
// the violation names two holds, they must not have overlapped, and the loss must have come after
// the grant of the earlier hold.
Explanation ExplainStoreLoss(const ViolationContext& record, const Violation& violation,
                             Explanation without) {
  if (without.cause != Cause::kUnexplained || !without.perhaps.empty()) return without;
  const Hold* by = ReferencedHold(record, violation.first);
  const Hold* over = ReferencedHold(record, violation.second);
  const bool located = by != nullptr && over != nullptr;
  if (located && Overlap(by->core, over->core)) return without;
  const int64_t since_ns = located ? std::min(by->core.from_ns, over->core.from_ns) : 0;
  const int64_t until_ns = located ? violation.to_ns : kForeverNs;
  std::vector<const FaultEpisode*> losses;
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    if (LosesStoreData(episode, record.FaultOf(episode)) && episode.from_ns <= until_ns &&
        since_ns <= episode.to_ns)
      losses.push_back(&episode);
  }
  if (losses.empty()) return without;
  return {.cause = Cause::kStoreLostData,
          .because = FaultsClause(record.disturbances, losses),
          .episodes = losses};
}

Explanation ExplainFencing(const ViolationContext& record, const Violation& violation) {
  const bool of_grant = violation.second && violation.from_ns == violation.to_ns &&
                        violation.second->from_ns == violation.to_ns;
  if (of_grant) {
    return ExplainLostCounter(record, ReferencedHold(record, violation.first),
                              ReferencedHold(record, violation.second), violation.from_ns);
  }
  return {.cause = Cause::kStaleWriteTaken,
          .because = "the store took a token though it had taken a newer one"};
}

// Whether another session was granted the key between the answer of `since` and `by_ns`. After such
// a grant, the lock no longer counts the earlier entries.
bool WasGrantedToAnother(const ViolationContext& record, const Call& since, int64_t by_ns) {
  return std::ranges::any_of(record.CallsOf(Op::kAcquire, since.key), [&](const Call* grant) {
    return grant->Ok() && grant->session != since.session && since.to_ns < grant->from_ns &&
           grant->to_ns < by_ns;
  });
}

// Explains a wrong nested exit by a call that may have run twice, since a fault delayed or lost one
// of its messages. A repeated release frees the key too early. A repeated acquire keeps it locked.
Explanation ExplainPossibleRepeat(const ViolationContext& record, const Hold& hold, Op op,
                                  int64_t until_ns) {
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    const FaultFact& fault = record.FaultOf(episode);
    const bool repeats =
        KeepsMessages(fault) || LosesMessages(fault) || Does(fault, FaultTrait::kRepeats);
    if (!repeats || !ConcernsClient(episode, fault, hold.client)) continue;
    for (const Call* call : record.CallsOf(op, hold.key)) {
      const bool met = call->session == hold.owner() && call->from_ns <= until_ns &&
                       Overlap({call->from_ns, call->to_ns}, {episode.from_ns, episode.to_ns});
      if (!met || call->outcome == EventType::kFail ||
          WasGrantedToAnother(record, *call, hold.asked_ns))
        continue;
      return {.because = fmt::format("{}, and what was sent for its {} of {} may have been sent "
                                     "again, and carried out twice",
                                     FaultClause(record.disturbances, episode), Name(op),
                                     At(call->from_ns)),
              .episodes = {&episode},
              .perhaps = {Cause::kResent}};
    }
  }
  return Unexplained("nothing recorded explains the count of its entries");
}

// Explains a wrong nested exit by a call that ran twice, or that may have run twice.
Explanation ExplainReentry(const ViolationContext& record, const Violation& violation) {
  const Hold* hold = ReferencedHold(record, violation.first);
  if (hold == nullptr) return Unexplained("the record does not show whose exit it was");
  const Op op = violation.second ? Op::kRelease : Op::kAcquire;
  const auto counts = [&](const Call& call) {
    return call.op == op && !WasGrantedToAnother(record, call, hold->asked_ns);
  };
  if (const auto twice = ExplainRepeat(record, hold->owner(), hold->key, violation.to_ns, counts))
    return *twice;
  return ExplainPossibleRepeat(record, *hold, op, violation.to_ns);
}

// Returns during which operation a killed client may have left the key locked. Returns "" if the
// client left no key, or if an acquire of the key succeeded after the kill.
std::string_view DescribeAbandonment(const ViolationContext& record, const FaultEpisode& episode,
                                     uint16_t key, const Hold* last) {
  const auto open = [&](const Call* call) {
    return call->session.client == episode.client && call->outcome == EventType::kInfo &&
           call->from_ns <= episode.from_ns && episode.from_ns <= call->to_ns;
  };
  if (last != nullptr && last->client == episode.client) {
    if (!last->released) return " while it held the key";
    const auto its = [&](const Call* call) { return call->hold == last->hold && open(call); };
    if (std::ranges::any_of(record.CallsOf(Op::kRelease, key), its)) return " within its release";
  }
  const std::vector<const Call*>& acquires = record.CallsOf(Op::kAcquire, key);
  const bool granted_since = std::ranges::any_of(
      acquires, [&](const Call* call) { return call->Ok() && call->to_ns > episode.from_ns; });
  return std::ranges::any_of(acquires, open) && !granted_since ? " within its acquire" : "";
}

Explanation ExplainLiveness(const ViolationContext& record, const Violation& violation) {
  const Hold* last = ReferencedHold(record, violation.first);
  const auto key =
      static_cast<uint16_t>(std::ranges::find(record.history.facts.keys, violation.key) -
                            record.history.facts.keys.begin());
  std::vector<Explanation> found;
  std::vector<const FaultEpisode*> down;
  for (const FaultEpisode& episode : record.disturbances.episodes) {
    const FaultFact& fault = record.FaultOf(episode);
    if (!IsCrash(fault) || episode.from_ns > violation.from_ns) continue;
    if (episode.client > 0) {
      const std::string_view how = DescribeAbandonment(record, episode, key, last);
      if (how.empty()) continue;
      found.push_back(
          {.cause = Cause::kNeverExpires,
           .because = fmt::format("{}{}", FaultClause(record.disturbances, episode), how),
           .episodes = {&episode}});
    }
    if (ActsOnLockServers(episode, fault)) down.push_back(&episode);
  }
  // On several nodes, the lock may not need the node that is down.
  if (!down.empty() && record.history.facts.nodes <= 1)
    found.push_back({Cause::kNodeDown, FaultsClause(record.disturbances, down), down});
  // Unanswered calls of clients that were not killed may explain the stuck key too.
  const auto unanswered = record.calls.UnansweredSince(key, last == nullptr ? 0 : last->asked_ns);
  if (found.empty() && unanswered.empty() &&
      LockHas(record.history.facts, LockTrait::kLentSession)) {
    return {.cause = Cause::kSessionLent,
            .because = "a lock stays in the session that was lent when it was taken"};
  }
  const bool by_others = std::ranges::any_of(unanswered, [&](const Call* call) {
    return std::ranges::none_of(found, [&](const Explanation& each) {
      return each.episodes.front()->client == call->session.client;
    });
  });
  const bool one = !found.empty() && std::ranges::all_of(found, [&](const Explanation& each) {
    return each.cause == found.front().cause && (!by_others || each.cause != Cause::kNeverExpires);
  });
  return one ? found.front() : Unexplained("the record does not show which call left the key so");
}

Explanation ExplainMissingQueue(const ViolationContext& record) {
  return {.cause = Cause::kNoQueue,
          .because = fmt::format("lock {} keeps no queue", record.history.facts.lock)};
}

// Explains a grant out of FIFO order. A client's moved clock may have expired other clients' places
// in the queue. Only the clocks of clients that tried to acquire the key count.
Explanation ExplainOrder(const ViolationContext& record, const Violation& violation) {
  if (!KeepsQueue(record.history.facts)) return ExplainMissingQueue(record);
  Explanation why = Unexplained("the record does not show the queue");
  std::map<int32_t, int64_t> asks_since;
  for (const Call& call : record.calls.all) {
    if (call.op == Op::kAcquire && KeyName(record.history.facts, call.key) == violation.key)
      asks_since.try_emplace(call.session.client, call.from_ns);
  }
  for (const FaultEpisode* episode : record.disturbances.EpisodesWithin({0, violation.from_ns})) {
    const FaultFact& fault = record.FaultOf(*episode);
    const auto asks = asks_since.find(episode->client);
    const bool of_client = MovesAClock(fault) && episode->node < 0 && fault.nodes.empty();
    if (of_client && asks != asks_since.end() && asks->second <= episode->to_ns)
      why.episodes.push_back(episode);
  }
  if (why.episodes.empty()) return why;
  why.perhaps = {Cause::kClientClock};
  why.because = FaultsClause(record.disturbances, why.episodes) +
                ", and the places of its queue have time-outs by clients' clocks";
  return why;
}

// Explains a wait that was too long. The cause is the missing queue of the lock, if a later client
// was granted the key within the limit. A fault during the wait leaves the violation unexplained.
Explanation ExplainLongWait(const ViolationContext& record, const Violation& violation) {
  const auto faults = record.disturbances.EpisodesWithin({violation.from_ns, violation.to_ns});
  if (!faults.empty()) return Unexplained(FaultsClause(record.disturbances, faults));
  const RunFacts& facts = record.history.facts;
  const auto limit_ns = LimitOf(facts, "max-wait");
  if (facts.library || KeepsQueue(facts) || !violation.second || !limit_ns)
    return Unexplained("the record does not show who was next in the queue");
  if (violation.second->from_ns - violation.from_ns > *limit_ns)
    return Unexplained("it had waited for too long before another overtook it");
  return ExplainMissingQueue(record);
}

}  // namespace

Explanation ExplainViolation(const ViolationContext& record, std::string_view claim,
                             const Violation& violation) {
  if (violation.explained_by_stall) {
    const bool of_answer = claim == "stock" && !violation.first;  // no single write is described
    return {.cause = Cause::kMachine,
            .because = of_answer ? "the write would have been answered without that stall"
                                 : "the lease would have lasted without that stall"};
  }
  if (LockHas(record.history.facts, LockTrait::kGrantsAll)) {
    return {.cause = Cause::kNoLock,
            .because = fmt::format("lock {} grants whoever asks", record.history.facts.lock)};
  }
  if (claim == "release") {
    return {.cause = Cause::kForeignRelease,
            .because = "the release did not look whose lock it freed"};
  }
  if (claim == "exclusion" || claim == "lease-exclusion") {
    const Hold* first = ReferencedHold(record, violation.first);
    const Hold* second = ReferencedHold(record, violation.second);
    if (first == nullptr || second == nullptr) return Unexplained("a hold is not in the record");
    return ExplainOverlap(record, *first, *second, violation.from_ns);
  }
  if (claim == "call-timeout" || (claim == "release-result" && IsAfterRelease(record, violation)))
    return Unexplained("the record does not show the inside of a library's call");
  if (claim == "stock") return ExplainStoreLoss(record, violation, ExplainStock(record, violation));
  if (claim == "exactly-once")
    return ExplainStoreLoss(record, violation, ExplainHarm(record, violation));
  if (claim == "fencing") return ExplainFencing(record, violation);
  if (claim == "reentry") return ExplainReentry(record, violation);
  if (claim == "liveness") return ExplainLiveness(record, violation);
  if (claim == "order") return ExplainOrder(record, violation);
  if (claim == "key-leak")
    return Unexplained("the record does not show what a server did with a key");
  if (claim == "availability")
    return Unexplained("the record does not show which call left the key so");
  if (claim == "max-wait") return ExplainLongWait(record, violation);
  if (const CheckerEntry* entry = FindChecker(claim); entry != nullptr && entry->by_traffic)
    return Unexplained("the record does not show which commands a client sent");
  return ExplainHarm(record, violation);
}

}  // namespace doublehold
