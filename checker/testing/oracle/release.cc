// Oracles of the claims `release`, `release-result` and `lost-lock-notification`.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {
namespace {

RunOptions DrawReleaseOptions(const Dice& dice) {
  return {.lease = dice.Chance(25) ? 1'000 : 1 + dice.Below(12),
          .max_rounds = 2,
          .max_stay = 24,
          .releases_after_refusal = 17,
          .forgets_release = 12,
          .loses_acquire = 8,  // low: a grant of unknown outcome may explain any later release
          .checks_owner = dice.Chance(12)};
}

// Leases often end before the release. In some runs the server reports success for every release,
// or failure for every release.
RunOptions DrawReleaseResultOptions(const Dice& dice) {
  std::optional<LibraryFact> library;
  if (dice.Chance(50)) library = {"brute", "1", {"lease"}};
  return {.lease = 1 + dice.Below(16),
          .grace = dice.Below(3),
          .library = library,
          .max_stay = 24,
          .shared = 17,
          .forgets_release = dice.Chance(33) ? 33 : 0,
          .leaves = 100,
          .loses_acquire = 6,  // low: a grant of unknown outcome may explain any later release
          .always_reports_success = dice.Chance(50),
          .always_reports_failure = dice.Chance(33)};
}

RunOptions DrawNotificationOptions(const Dice& dice) {
  RunOptions options = DrawReleaseResultOptions(dice);
  options.lease = 1 + dice.Below(5);
  options.library = {"brute", "1", {"lost"}};
  options.notified = 50;
  return options;
}

struct GrantedLock {
  size_t grant = 0;        // index of its acquire in GrantOrders::calls
  bool has_ended = false;  // its hold has ended, but the lock may still exist
  auto operator<=>(const GrantedLock&) const = default;
};

// Finds the locks that can exist in the service at a time, by trying every order of the grants.
struct GrantOrders {
  std::vector<RecordedCall> calls;
  std::vector<HoldSpan> holds;
  // Whether a session's acquires keep their order and precede its later releases, even at the same
  // instant.
  bool ordered = true;
  std::set<uint64_t> left{};  // holds that their sessions left without a release

  // Whether there is an order of the grants in which `fits` is true of the locks that exist at some
  // time in `when`. If `ordered`, ignores grants that the releasing session received more than
  // `lasts` before the release.
  template <typename Fits>
  [[nodiscard]] bool SomeOrderSatisfies(const RecordedCall& release, Step when, const Fits& fits,
                                        int64_t lasts = kUnbounded) const {
    using Locks = std::vector<GrantedLock>;  // more than one if readers share
    std::vector<Step> steps;
    std::vector<GrantedLock> changes;  // by step: the lock that it grants, or whose hold it ends
    std::map<SessionId, int> last;     // index of each session's last step
    for (size_t i = 0; i < calls.size(); ++i) {
      const RecordedCall& call = calls[i];
      if (call.op != Op::kAcquire || call.Failed()) continue;
      const bool own = ordered && call.session == release.session;
      if (own && (&call > &release || (call.Ok() && release.from - call.to > lasts))) continue;
      int& before = last.try_emplace(ordered ? call.session : SessionId{}, -1).first->second;
      steps.push_back(call.AsStep());
      steps.back().after = ordered ? before : -1;
      before = static_cast<int>(steps.size()) - 1;
      changes.push_back({.grant = i});
      for (const HoldSpan& hold : holds) {
        if (hold.grant.hold != call.hold) continue;
        steps.push_back({hold.end, hold.end, false, static_cast<int>(steps.size()) - 1});
        changes.push_back({.grant = i, .has_ended = true});
      }
    }
    when.after = ordered && last.contains(release.session) ? last[release.session] : -1;
    steps.push_back(when);
    return CanOrderSteps(steps, Locks{}, [&](Locks present, size_t step) -> std::vector<Locks> {
      if (step == changes.size()) return NextStateIf(fits(present), present);
      const GrantedLock& change = changes[step];
      if (change.has_ended) {
        std::ranges::replace(present, GrantedLock{change.grant}, change);
        return {present};
      }
      Locks next = present;
      if (present.empty() || !MayShare(present.back()) || !MayShare(change)) next.clear();
      next.push_back(change);
      // A session that holds the lock may re-enter it without asking the server, also after its
      // lease. A session that left the lock enters anew after its lease.
      return MayBeReentry(change) ? std::vector<Locks>{present, next} : NextStateIf(true, next);
    });
  }

  [[nodiscard]] const RecordedCall& FindGrant(const RecordedCall& release) const {
    return *std::ranges::find(calls, release.hold, &RecordedCall::hold);
  }

  // An unanswered acquire may be shared or exclusive.
  [[nodiscard]] bool MayShare(const GrantedLock& lock) const {
    return calls[lock.grant].IsUnknown() || calls[lock.grant].answer[2] != 0;
  }

  [[nodiscard]] bool MayBeReentry(const GrantedLock& again) const {
    const auto end = calls.begin() + static_cast<std::ptrdiff_t>(again.grant);
    return std::any_of(calls.begin(), end, [&](const RecordedCall& call) {
      return call.op == Op::kAcquire && call.Ok() && call.session == end->session &&
             !(left.contains(call.hold) && call.to + call.asked[0] < end->from) &&
             std::none_of(calls.begin(), end, [&](const RecordedCall& release) {
               return release.op == Op::kRelease && release.hold == call.hold;
             });
    });
  }
};

GrantOrders MakeGrantOrders(const History& history) {
  GrantOrders orders{ListRecordedCalls(history, {Op::kAcquire, Op::kRelease}),
                     ExtractHoldSpans(history)};
  for (const Event& event : history.events) {
    if (event.op == Op::kLeave) orders.left.insert(event.hold);
  }
  return orders;
}

// Judges `release`. Each release that did not check the owner must be harmless in some order of the
// grants. A release is harmless if one of these locks exists when the release takes effect:
// - a lock of its own session;
// - a lock whose hold has ended;
// - a lock of an acquire of unknown outcome.
bool ReleasesCanBeHarmless(const History& history) {
  GrantOrders orders = MakeGrantOrders(history);
  orders.ordered = false;
  return std::ranges::all_of(orders.calls, [&](const RecordedCall& release) {
    if (release.op != Op::kRelease || !release.Ok() || release.answer[0] == 0) return true;
    const auto harmless = [&](const GrantedLock& lock) {
      const RecordedCall& grant = orders.calls[lock.grant];
      return lock.has_ended || grant.IsUnknown() || grant.session == release.session;
    };
    return orders.SomeOrderSatisfies(release, {release.from, release.to}, [&](const auto& locks) {
      return std::ranges::any_of(locks, harmless);
    });
  });
}

// Whether there is an order of the grants in which the session of the release owns a lock at some
// time in `when`. If `owns` is false, the session must instead own no lock at such a time.
bool CanOwnLock(bool owns, const GrantOrders& orders, const RecordedCall& release, Step when,
                int64_t lasts = kUnbounded) {
  const auto is_own = [&](const GrantedLock& lock) {
    return orders.calls[lock.grant].session == release.session;
  };
  return orders.SomeOrderSatisfies(
      release, when, [&](const auto& locks) { return std::ranges::any_of(locks, is_own) == owns; },
      lasts);
}

// Judges `release-result`. Each of these releases needs an order of the grants that allows its
// answer:
// - A successful release that checked the owner: its session must own a lock. With a library, a
//   grant counts for at most lease + grace.
// - A failed release: its session must own no lock. Exceptions: the lease has ended by the answer,
//   or an earlier release of unknown outcome may have freed the lock late.
bool ReleaseResultsCanBeTrue(const History& history) {
  const RunFacts& facts = history.facts;
  const int64_t lasts = facts.library ? ToNs(facts.lease + facts.grace) : kUnbounded;
  const GrantOrders orders = MakeGrantOrders(history);
  return std::ranges::all_of(orders.calls, [&](const RecordedCall& release) {
    if (release.op != Op::kRelease || release.IsUnknown()) return true;
    const Step when{release.from, release.to};
    if (release.Ok())
      return release.answer[0] != 0 || CanOwnLock(true, orders, release, when, lasts);
    const bool freed_late = std::ranges::any_of(orders.calls, [&](const RecordedCall& earlier) {
      return earlier.op == Op::kRelease && earlier.session == release.session &&
             earlier.IsUnknown() && &earlier < &release;
    });
    return orders.FindGrant(release).answer[0] <= release.to || freed_late ||
           CanOwnLock(false, orders, release, when);
  });
}

// Judges `lost-lock-notification`. A holder must be notified within lease + grace after its lock
// was lost. So for each hold there must be an order in which its session still owns a lock at a
// certain time. This time is lease + grace before the notification or the release, whichever came
// first.
bool HoldersCanBeNotifiedInTime(const History& history) {
  const int64_t patience = ToNs(history.facts.lease + history.facts.grace);
  const GrantOrders orders = MakeGrantOrders(history);
  return std::ranges::all_of(orders.calls, [&](const RecordedCall& release) {
    if (release.op != Op::kRelease) return true;
    int64_t until = release.from;
    for (const Event& event : history.events) {
      if (event.op == Op::kLostNotification && event.hold == release.hold)
        until = std::min(until, event.value[0]);
    }
    const int64_t last_loss = until - patience;
    return last_loss <= orders.FindGrant(release).to ||
           CanOwnLock(true, orders, release, {last_loss, last_loss});
  });
}

}  // namespace

std::vector<ClaimTrials> ReleaseTrials() {
  return {
      {.claim = "release", .options = DrawReleaseOptions, .is_explainable = ReleasesCanBeHarmless},
      {.claim = "release-result",
       .options = DrawReleaseResultOptions,
       .is_explainable = ReleaseResultsCanBeTrue},
      {.claim = "lost-lock-notification",
       .options = DrawNotificationOptions,
       .is_explainable = HoldersCanBeNotifiedInTime}};
}

}  // namespace doublehold::brute
