// The claims `availability`, `order` and `reentry`: what refusals and grants say of each other.
#include <algorithm>
#include <set>
#include <vector>

#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {
namespace {

// In half of the runs the server often refuses a free lock.
RunOptions AvailabilityRun(const Dice& dice) {
  const int64_t lease = 2 + dice.Any(6);
  return {.lease = lease,
          .grace = dice.Any(4),
          .nodes = dice.Chance(33) ? 3 : 1,
          .max_rounds = 8,
          .max_pause = lease,
          .max_stay = 8,
          .long_pauses = 33,
          .releases_unknown = 100,
          .forgets = 20,
          .loses_acquire = 2,  // what was perhaps granted explains every later refusal
          .loses_release = 17,
          .refuses_free = dice.Chance(50) ? 67 : 0};
}

RunOptions QueueingRun(const Dice& dice) {
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
          .taken_at_first = true};
}

RunOptions NestedRun(const Dice& dice) {
  const int64_t defect = dice.Any(3);
  return {.max_rounds = 2,
          .max_stay = 12,
          .nested = 67,
          .releases_unknown = 50,
          .reentrant = true,
          .frees_nested = defect == 1,
          .counts_twice = defect == 2 ? 33 : 0};
}

// Availability: can each refusal be explained? By a lock that may have been taken at an instant of
// lease and grace before it, by another client that may have stood before it in a queue, or, on
// several nodes, by the client's own break in asking.
class Refusals {
 public:
  explicit Refusals(const History& history)
      : one_node_(history.facts.nodes == 1),
        lease_(ToNs(history.facts.lease)),
        patience_(ToNs(history.facts.lease + history.facts.grace)),
        releases_(CallsIn(history, {Op::kRelease})),
        acquires_(CallsIn(history, {Op::kAcquire})) {}

  [[nodiscard]] bool AreRight() const {
    return std::ranges::all_of(
        acquires_, [this](const RecordedCall& call) { return !call.Failed() || IsRight(call); });
  }

 private:
  [[nodiscard]] bool SomeAcquire(const auto& predicate) const {
    return std::ranges::any_of(acquires_, predicate);
  }

  [[nodiscard]] bool IsRight(const RecordedCall& refused) const {
    const int64_t since = refused.from - patience_;
    if (since <= 0) return true;  // the run began with it
    for (int64_t at = since; at <= refused.to; ++at) {
      if (SomeAcquire([&](const RecordedCall& call) { return MayBeTaken(call, at); })) return true;
    }
    if (!one_node_ || SomeAcquire([&](const RecordedCall& call) { return Waits(call, refused); })) {
      for (int64_t at = since - 1; at <= refused.from; ++at) {
        if (!Asks(refused, at)) return true;
      }
    }
    return one_node_ && SomeAcquire([&](const RecordedCall& call) {
             return MayHaveGone(call, refused, since - 1);
           });
  }

  [[nodiscard]] const RecordedCall* ReleaseOf(const RecordedCall& acquire) const {
    const auto release = std::ranges::find(releases_, acquire.hold, &RecordedCall::hold);
    return release == releases_.end() ? nullptr : &*release;
  }

  // Its session was granted the lock before, and has not released it.
  [[nodiscard]] bool MayBeReentry(const RecordedCall& again) const {
    return SomeAcquire([&](const RecordedCall& call) {
      return call.Ok() && call.session == again.session && &call < &again &&
             ReleaseOf(call) == nullptr;
    });
  }

  [[nodiscard]] bool MayBeTaken(const RecordedCall& acquire, int64_t at) const {
    if (acquire.Failed() || at < acquire.from) return false;
    const RecordedCall* release = ReleaseOf(acquire);
    const bool freed = release != nullptr && release->Ok();
    if (acquire.IsUnknown()) return !one_node_ || !freed || at <= release->to;
    const bool refused = release != nullptr && release->Failed();
    if (freed || (refused && one_node_)) return at <= release->to;
    const int64_t until = std::max(acquire.to + lease_, refused ? release->to : 0);
    const int64_t left = release == nullptr ? acquire.to : release->from;
    const bool again = SomeAcquire([&](const RecordedCall& call) {
      return !call.Failed() && &call > &acquire && call.session == acquire.session &&
             call.from <= until;
    });
    const bool gone = SomeAcquire([&](const RecordedCall& call) {
      return call.Ok() && &call > &acquire && call.session != acquire.session &&
             !MayBeReentry(call) && acquire.to < call.from && left < call.to && call.to < at;
    });
    return (again || at <= until) && !gone;
  }

  // It asked before `refused` was refused, and was not granted the lock since.
  [[nodiscard]] bool Waits(const RecordedCall& asked, const RecordedCall& refused) const {
    if (asked.session == refused.session || asked.from > refused.to) return false;
    return !SomeAcquire([&](const RecordedCall& call) {
      return call.Ok() && call.session == asked.session && call.to <= refused.to && &call >= &asked;
    });
  }

  // A client that waits stopped asking for more than a lease, at an instant after `since`.
  [[nodiscard]] bool MayHaveGone(const RecordedCall& asked, const RecordedCall& refused,
                                 int64_t since) const {
    if (!Waits(asked, refused)) return false;
    int64_t back = refused.to;
    for (const RecordedCall& call : acquires_) {
      if (&call > &asked && call.session == asked.session) back = std::min(back, call.from);
    }
    if (asked.to >= back || back <= since) return false;
    return !asked.Failed() || back - asked.to > lease_;
  }

  // Its session was asking then, or asked again within a lease of its refusal. What it asked before
  // it was granted the lock does not count, be it at the same instant.
  [[nodiscard]] bool Asks(const RecordedCall& refused, int64_t at) const {
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

// Order: whether some order of what two sessions asked has `grant`, of the one, overtake nobody.
bool CanOvertakeNobody(const std::vector<RecordedCall>& calls, const RecordedCall& grant,
                       SessionId waiter) {
  struct Queue {
    bool comer = false, waiter = false;
    bool comer_first = false;  // where both stand in it
    auto operator<=>(const Queue&) const = default;
  };
  std::vector<const RecordedCall*> tries;
  std::vector<Step> steps;
  std::vector<bool> ends_wait(calls.size() + 1, false);  // by step
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
    before = static_cast<int>(tries.size());
    tries.push_back(&call);
  }
  for (const int before : last) ends_wait[static_cast<size_t>(before + 1)] = true;
  return SomeOrder(steps, Queue{}, [&](const Queue& now, size_t step) -> std::vector<Queue> {
    const RecordedCall& call = *tries[step];
    Queue there = now, gone = now;
    if (call.session == waiter) {
      // It keeps its place while it asks again. After an unknown answer it may have been granted
      // the lock, or stand there for the first time.
      if (!now.waiter) there.comer_first = now.comer;
      there.waiter = true;
      gone.waiter = gone.comer_first = false;
      if (call.Ok()) return {gone};
      if (call.IsUnknown()) return {now, there, gone};
      return ends_wait[step + 1] ? std::vector{there, gone} : std::vector{there};
    }
    // It may have kept any place that it ever had.
    if (!now.comer) there.comer_first = !now.waiter;
    there.comer = true;
    gone.comer = gone.comer_first = false;
    if (!call.Ok()) return {there};
    const bool overtakes = now.waiter && !(now.comer && now.comer_first);
    return OnlyIf(!overtakes || call.hold != grant.hold, gone);
  });
}

bool NobodyIsOvertaken(const History& history) {
  const std::vector<RecordedCall> calls = CallsIn(history, {Op::kWait, Op::kAcquire});
  return std::ranges::all_of(calls, [&](const RecordedCall& grant) {
    if (grant.op != Op::kAcquire || !grant.Ok()) return true;
    for (int32_t client = 1; client <= history.facts.clients; ++client) {
      if (client != grant.session.client && !CanOvertakeNobody(calls, grant, {.client = client}))
        return false;
    }
    return true;
  });
}

// Reentry: does some order of entries and exits have a lock that counts them answer what was
// answered?
struct CountedLock {
  SessionId owner;
  int entries = 0;
  std::set<SessionId> refused;  // and not granted since: a fair lock lets them in first
  auto operator<=>(const CountedLock&) const = default;
};

std::vector<CountedLock> AfterEntry(const CountedLock& lock, const RecordedCall& call) {
  std::vector<CountedLock> next;
  const bool others = std::ranges::any_of(
      lock.refused, [&](const SessionId& session) { return session != call.session; });
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

bool EntriesAreCounted(const History& history) {
  const std::vector<RecordedCall> calls = CallsIn(history, {Op::kAcquire, Op::kRelease});
  return SomeOrder(StepsOf(calls), CountedLock{}, [&](CountedLock lock, size_t step) {
    const RecordedCall& call = calls[step];
    if (call.op == Op::kAcquire) return AfterEntry(lock, call);
    const bool own = lock.entries > 0 && lock.owner == call.session;
    if (own && --lock.entries == 0) lock.owner = {};
    return OnlyIf(call.IsUnknown() || own == call.Ok(), lock);
  });
}

}  // namespace

std::vector<ClaimTrials> WaitingTrials() {
  return {// After its release reported success, an unknown acquire may still be another of its
          // session.
          {.claim = "availability",
           .options = AvailabilityRun,
           .is_right = [](const History& history) { return Refusals(history).AreRight(); },
           .may_miss = MayMiss::kWithUnknowns},
          // A question of unknown outcome counts as a place for every later grant, not for one.
          {.claim = "order",
           .options = QueueingRun,
           .is_right = NobodyIsOvertaken,
           .may_miss = MayMiss::kWithUnknowns},
          // It compares with what others were answered: where nobody asked meanwhile nothing shows.
          {.claim = "reentry",
           .options = NestedRun,
           .is_right = EntriesAreCounted,
           .may_miss = MayMiss::kAny}};
}

}  // namespace doublehold::brute
