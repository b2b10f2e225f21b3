// Oracles of the claims `availability`, `order` and `reentry`.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {
namespace {

// In half of the runs the server often refuses a free lock.
RunOptions DrawAvailabilityOptions(const Dice& dice) {
  const int64_t lease = 2 + dice.Below(6);
  return {.lease = lease,
          .grace = dice.Below(4),
          .nodes = dice.Chance(33) ? 3 : 1,
          .max_rounds = 8,
          .max_pause = lease,
          .max_stay = 8,
          .long_pauses = 33,
          .releases_after_unknown = 100,
          .forgets_release = 20,
          .loses_acquire = 2,  // low: an unanswered acquire may explain every later refusal
          .loses_release = 17,
          .refuses_free_lock = dice.Chance(50) ? 67 : 0};
}

RunOptions DrawQueueOptions(const Dice& dice) {
  return {.lease = 30,
          .max_rounds = 2,
          .max_pause = 12,
          .max_stay = 8,
          .random_validity = true,
          .queues = true,
          .loses_acquire = 12,
          .loses_release = 0,
          .reentrant = true,
          .fair = dice.Chance(25),
          .held_at_start = true};
}

RunOptions DrawReentryOptions(const Dice& dice) {
  const int64_t defect = dice.Below(3);
  std::optional<LockTraits> traits;
  if (dice.Chance(50)) traits = {LockTrait::kReentry};
  return {.traits = traits,
          .max_rounds = 2,
          .max_stay = 12,
          .nested = 67,
          .releases_after_unknown = 50,
          .reentrant = true,
          .frees_nested = defect == 1,
          .counts_entry_twice = defect == 2 ? 33 : 0};
}

// Judges `availability`. A client keeps trying while each refused acquire is followed by another
// acquire within a lease. Each of these explains a refusal:
// - The lock may have been held at some instant from lease + grace before the refused acquire to
//   its answer.
// - On several nodes, the client did not keep trying for lease + grace before the refused acquire.
// - On one node, another client may be ahead in a queue, and one of the two did not keep trying for
//   this time.
class Refusals {
 public:
  explicit Refusals(const History& history)
      : one_node_(history.facts.nodes == 1),
        lease_(ToNs(history.facts.lease)),
        patience_(ToNs(history.facts.lease + history.facts.grace)),
        releases_(ListRecordedCalls(history, {Op::kRelease})),
        acquires_(ListRecordedCalls(history, {Op::kAcquire})) {}

  [[nodiscard]] bool AreExplained() const {
    return std::ranges::all_of(acquires_, [this](const RecordedCall& call) {
      return !call.Failed() || IsExplained(call);
    });
  }

 private:
  [[nodiscard]] bool SomeAcquire(const auto& predicate) const {
    return std::ranges::any_of(acquires_, predicate);
  }

  [[nodiscard]] bool IsExplained(const RecordedCall& refused) const {
    const int64_t since = refused.from - patience_;
    if (since <= 0) return true;  // the run is not older than lease + grace
    for (int64_t at = since; at <= refused.to; ++at) {
      if (SomeAcquire([&](const RecordedCall& call) { return MayBeHeld(call, at); })) return true;
    }
    if (!one_node_ || SomeAcquire([&](const RecordedCall& call) { return Waits(call, refused); })) {
      for (int64_t at = since - 1; at <= refused.from; ++at) {
        if (!WasTrying(refused, at)) return true;
      }
    }
    return one_node_ && SomeAcquire([&](const RecordedCall& call) {
             return MayHaveStoppedTrying(call, refused, since - 1);
           });
  }

  [[nodiscard]] const RecordedCall* FindRelease(const RecordedCall& acquire) const {
    const auto release = std::ranges::find(releases_, acquire.hold, &RecordedCall::hold);
    return release == releases_.end() ? nullptr : &*release;
  }

  // Whether the session of `again` was granted the lock before and never releases that grant.
  [[nodiscard]] bool MayBeReentry(const RecordedCall& again) const {
    return SomeAcquire([&](const RecordedCall& call) {
      return call.Ok() && call.session == again.session && &call < &again &&
             FindRelease(call) == nullptr;
    });
  }

  // Whether the lock that `acquire` took, or may have taken, may still be held at `at`.
  [[nodiscard]] bool MayBeHeld(const RecordedCall& acquire, int64_t at) const {
    if (acquire.Failed() || at < acquire.from) return false;
    const RecordedCall* release = FindRelease(acquire);
    const bool freed = release != nullptr && release->Ok();
    if (acquire.IsUnknown()) return !one_node_ || !freed || at <= release->to;
    const bool refused = release != nullptr && release->Failed();
    const bool ended = freed || (refused && one_node_);
    const int64_t lease_end = acquire.to + lease_;
    const int64_t until = ended     ? std::min(lease_end, release->to)
                          : refused ? std::max(lease_end, release->to)
                                    : lease_end;
    const int64_t last_use = release == nullptr ? acquire.to : release->from;
    const bool again = SomeAcquire([&](const RecordedCall& call) {
      return !call.Failed() && &call > &acquire && call.session == acquire.session &&
             call.from <= until;
    });
    const bool is_granted_anew = SomeAcquire([&](const RecordedCall& call) {
      return call.Ok() && &call > &acquire && call.session != acquire.session &&
             !MayBeReentry(call) && acquire.to < call.from && last_use < call.to && call.to < at;
    });
    if (ended && at > release->to) return false;
    return (again || at <= until) && !is_granted_anew;
  }

  // Whether another session invoked `asked` before the answer of `refused`, and was not granted the
  // lock in between.
  [[nodiscard]] bool Waits(const RecordedCall& asked, const RecordedCall& refused) const {
    if (asked.session == refused.session || asked.from > refused.to) return false;
    return !SomeAcquire([&](const RecordedCall& call) {
      return call.Ok() && call.session == asked.session && call.to <= refused.to && &call >= &asked;
    });
  }

  // Whether the waiting session of `asked` may have lost its place in the queue after `since`. This
  // is possible if no acquire followed `asked` within a lease, or if `asked` has an unknown
  // outcome.
  [[nodiscard]] bool MayHaveStoppedTrying(const RecordedCall& asked, const RecordedCall& refused,
                                          int64_t since) const {
    if (!Waits(asked, refused)) return false;
    int64_t next = refused.to;
    for (const RecordedCall& call : acquires_) {
      if (&call > &asked && call.session == asked.session) next = std::min(next, call.from);
    }
    if (asked.to >= next || next <= since) return false;
    return !asked.Failed() || next - asked.to > lease_;
  }

  // Whether the session of `refused` was trying at `at`. One of these must be true:
  // - An acquire that was refused was pending at `at`.
  // - The last acquire before `at` was refused, and the session's next acquire followed within a
  //   lease.
  //
  // Acquires before the session's last grant do not count, even at the same instant.
  [[nodiscard]] bool WasTrying(const RecordedCall& refused, int64_t at) const {
    const RecordedCall* before = nullptr;
    for (const RecordedCall& call : acquires_) {
      if (call.session != refused.session) continue;
      const bool is_granted_later = SomeAcquire([&](const RecordedCall& later) {
        return later.Ok() && later.session == call.session && &call <= &later && &later < &refused;
      });
      if (&call < &refused && is_granted_later) continue;
      if (call.Failed() && call.from <= at && at <= call.to) return true;
      if (call.from > at)
        return before != nullptr && before->Failed() && call.from - before->to <= lease_;
      before = &call;
    }
    return false;
  }

  const bool one_node_;
  const int64_t lease_;
  const int64_t patience_;
  const std::vector<RecordedCall> releases_, acquires_;
};

// Whether the acquires of the two sessions have an order in which `grant` does not overtake
// `waiter`.
bool CanAvoidOvertaking(const std::vector<RecordedCall>& calls, const RecordedCall& grant,
                        SessionId waiter) {
  struct Queue {
    bool has_grantee = false, has_waiter = false;
    bool grantee_is_first = false;  // meaningful if both are in the queue
    auto operator<=>(const Queue&) const = default;
  };
  std::vector<const RecordedCall*> acquires;
  std::vector<Step> steps;
  // At index step + 1: whether the wait ends after this step.
  std::vector<bool> ends_wait(calls.size() + 1, false);
  int last[2] = {-1, -1};
  for (const RecordedCall& call : calls) {
    if (call.session != grant.session && call.session != waiter) continue;
    int& before = last[call.session == waiter ? 1 : 0];
    if (call.op == Op::kWait) {
      ends_wait[static_cast<size_t>(before + 1)] = true;
      continue;
    }
    steps.push_back(call.AsStep());
    steps.back().after = before;
    before = static_cast<int>(acquires.size());
    acquires.push_back(&call);
  }
  for (const int before : last) ends_wait[static_cast<size_t>(before + 1)] = true;
  return CanOrderSteps(steps, Queue{}, [&](const Queue& now, size_t step) -> std::vector<Queue> {
    const RecordedCall& call = *acquires[step];
    Queue queued = now, gone = now;
    if (call.session == waiter) {
      // The waiter keeps its place while it retries, and may leave the queue when its wait ends. An
      // acquire of unknown outcome may have had no effect, joined the queue or been granted.
      if (!now.has_waiter) queued.grantee_is_first = now.has_grantee;
      queued.has_waiter = true;
      gone.has_waiter = gone.grantee_is_first = false;
      if (call.Ok()) return {gone};
      if (call.IsUnknown()) return {now, queued, gone};
      return ends_wait[step + 1] ? std::vector{queued, gone} : std::vector{queued};
    }
    // The grantee keeps its place until it is granted the lock, even after it gives up.
    if (!now.has_grantee) queued.grantee_is_first = !now.has_waiter;
    queued.has_grantee = true;
    gone.has_grantee = gone.grantee_is_first = false;
    if (!call.Ok()) return {queued};
    const bool overtakes = now.has_waiter && !(now.has_grantee && now.grantee_is_first);
    return NextStateIf(!overtakes || call.hold != grant.hold, gone);
  });
}

// Judges `order`. For each grant and each other client, an order of their acquires must exist in
// which the grant does not overtake that client.
bool GrantsCanBeFair(const History& history) {
  const std::vector<RecordedCall> calls = ListRecordedCalls(history, {Op::kWait, Op::kAcquire});
  return std::ranges::all_of(calls, [&](const RecordedCall& grant) {
    if (grant.op != Op::kAcquire || !grant.Ok()) return true;
    for (int32_t client = 1; client <= history.facts.clients; ++client) {
      if (client != grant.session.client && !CanAvoidOvertaking(calls, grant, {.client = client}))
        return false;
    }
    return true;
  });
}

// A lock that counts the entries of its owner.
struct CountedLock {
  SessionId owner;
  int entries = 0;
  std::set<SessionId> refused;  // refused and not granted since; a fair lock serves them first
  auto operator<=>(const CountedLock&) const = default;
};

// Returns the possible states of the lock after this acquire. Returns no state if the answer of the
// acquire is impossible. If the lock may have a queue, another client that was refused may be ahead.
std::vector<CountedLock> NextAfterAcquire(const CountedLock& lock, const RecordedCall& call,
                                          bool may_queue) {
  std::vector<CountedLock> next;
  const bool others = may_queue && std::ranges::any_of(lock.refused, [&](const SessionId& session) {
                        return session != call.session;
                      });
  const bool may_enter = lock.entries == 0 || lock.owner == call.session;
  if (!call.Failed() && may_enter) {
    next.push_back({call.session, lock.entries + 1, lock.refused});
    next.back().refused.erase(call.session);
  }
  if (!call.Ok() && (!may_enter || others)) {
    next.push_back(lock);
    next.back().refused.insert(call.session);
  }
  return next;
}

// Judges `reentry`. An order of the acquires and releases must exist in which a lock that counts
// entries gives the recorded answers.
bool CountedLockExplainsAnswers(const History& history) {
  const std::vector<RecordedCall> calls = ListRecordedCalls(history, {Op::kAcquire, Op::kRelease});
  const bool may_queue = !history.facts.lock_traits.has_value();
  return CanOrderSteps(MakeSteps(calls), CountedLock{}, [&](CountedLock lock, size_t step) {
    const RecordedCall& call = calls[step];
    if (call.op == Op::kAcquire) return NextAfterAcquire(lock, call, may_queue);
    const bool own = lock.entries > 0 && lock.owner == call.session;
    if (own && --lock.entries == 0) lock.owner = {};
    return NextStateIf(call.IsUnknown() || own == call.Ok(), lock);
  });
}

}  // namespace

std::vector<ClaimTrials> WaitingTrials() {
  return {
      // May miss: a successful release of an unknown acquire may have freed another entry of its
      // session. In this case, the checker assumes that the acquire still holds the lock. The
      // oracle does not assume this.
      {.claim = "availability",
       .options = DrawAvailabilityOptions,
       .is_explainable = [](const History& history) { return Refusals(history).AreExplained(); },
       .may_miss = MayMiss::kWithUnknowns},
      // May miss: to the checker, an acquire of unknown outcome may excuse every later grant of its
      // session. To the oracle, the acquire may excuse only one grant.
      {.claim = "order",
       .options = DrawQueueOptions,
       .is_explainable = GrantsCanBeFair,
       .may_miss = MayMiss::kWithUnknowns},
      // May miss: the checker relies on the answers to other clients. It finds nothing if no other
      // client acquired meanwhile.
      {.claim = "reentry",
       .options = DrawReentryOptions,
       .is_explainable = CountedLockExplainsAnswers,
       .may_miss = MayMiss::kAny}};
}

}  // namespace doublehold::brute
