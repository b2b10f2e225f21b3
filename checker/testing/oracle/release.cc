// The claims `release`, `release-result` and `lost-lock-notification`.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {
namespace {

RunOptions ReleasingRun(const Dice& dice) {
  return {.lease = dice.Chance(25) ? 1'000 : 1 + dice.Any(12),
          .max_rounds = 2,
          .max_stay = 24,
          .releases_refused = 17,
          .forgets = 12,
          .loses_acquire = 8,  // low: a later release may free an unknown grant
          .checks_owner = dice.Chance(12)};
}

// Leases are often too short for the stay. In some runs the server says of every release that it
// freed the caller's lock, or that it did not.
RunOptions ReleaseResultRun(const Dice& dice) {
  std::optional<LibraryFact> library;
  if (dice.Chance(50)) library = {"brute", "1", {"lease"}};
  return {.lease = 1 + dice.Any(16),
          .grace = dice.Any(3),
          .library = library,
          .max_stay = 24,
          .shared = 17,
          .loses_acquire = 6,  // likewise
          .says_freed = dice.Chance(50),
          .denies_freed = dice.Chance(33)};
}

RunOptions NotifiedRun(const Dice& dice) {
  RunOptions options = ReleaseResultRun(dice);
  options.lease = 1 + dice.Any(5);
  options.library = {"brute", "1", {"lost"}};
  options.notified = 50;
  return options;
}

// Of a grant: the lock is there; and its holder has begun to release it.
struct Lock {
  size_t grant = 0;
  bool ends = false;
  auto operator<=>(const Lock&) const = default;
};

// Which locks are there at a time, in some order of the grants.
struct LocksInOrder {
  std::vector<RecordedCall> calls;
  std::vector<HoldSpan> holds;
  // Whether a session's acquires keep their order and follow its earlier releases, even at the
  // same instant.
  bool ordered = true;

  // Whether the locks that are there at some time of `when` can be such that `fits`. A grant of the
  // session longer than `lasts` before its release is over.
  template <typename Fits>
  [[nodiscard]] bool SomeOrderHas(const RecordedCall& release, Step when, const Fits& fits,
                                  int64_t lasts = kEver) const {
    using There = std::vector<Lock>;  // several: readers
    std::vector<Step> steps;
    std::vector<Lock> moves;
    std::map<SessionId, int> last;  // step of each session
    for (size_t i = 0; i < calls.size(); ++i) {
      const RecordedCall& call = calls[i];
      if (call.op != Op::kAcquire || call.Failed()) continue;
      const bool own = ordered && call.session == release.session;
      if (own && (&call > &release || (call.Ok() && release.from - call.to > lasts))) continue;
      int& before = last.try_emplace(ordered ? call.session : SessionId{}, -1).first->second;
      steps.push_back(call.AsStep());
      steps.back().after = ordered ? before : -1;
      before = static_cast<int>(steps.size()) - 1;
      moves.push_back({.grant = i});
      for (const HoldSpan& hold : holds) {
        if (hold.grant.hold != call.hold) continue;
        steps.push_back({hold.end, hold.end, false, static_cast<int>(steps.size()) - 1});
        moves.push_back({.grant = i, .ends = true});
      }
    }
    when.after = ordered && last.contains(release.session) ? last[release.session] : -1;
    steps.push_back(when);
    return SomeOrder(steps, There{}, [&](There there, size_t step) -> std::vector<There> {
      if (step == moves.size()) return OnlyIf(fits(there), there);
      const Lock& move = moves[step];
      if (move.ends) {
        std::ranges::replace(there, Lock{move.grant}, move);
        return {there};
      }
      There next = there;
      if (there.empty() || !MayShare(there.back()) || !MayShare(move)) next.clear();
      next.push_back(move);
      // A session that had it need not have asked the server.
      return MayBeReentry(move) ? std::vector<There>{there, next} : OnlyIf(true, next);
    });
  }

  [[nodiscard]] const RecordedCall& GrantOf(const RecordedCall& release) const {
    return *std::ranges::find(calls, release.hold, &RecordedCall::hold);
  }

  // An unanswered acquire may be shared or exclusive.
  [[nodiscard]] bool MayShare(const Lock& lock) const {
    return calls[lock.grant].IsUnknown() || calls[lock.grant].answer[2] != 0;
  }

  [[nodiscard]] bool MayBeReentry(const Lock& again) const {
    const auto end = calls.begin() + static_cast<std::ptrdiff_t>(again.grant);
    return std::any_of(calls.begin(), end, [&](const RecordedCall& call) {
      return call.op == Op::kAcquire && call.Ok() && call.session == end->session &&
             std::none_of(calls.begin(), end, [&](const RecordedCall& release) {
               return release.op == Op::kRelease && release.hold == call.hold;
             });
    });
  }
};

LocksInOrder LocksIn(const History& history) {
  return {CallsIn(history, {Op::kAcquire, Op::kRelease}), HoldsIn(history)};
}

// Judges `release`. For each release that did not check the owner, some order of the grants must
// exist in which it freed its own session's lock, or one whose holder was already releasing it.
bool ReleasesFreeTheirOwn(const History& history) {
  LocksInOrder locks = LocksIn(history);
  locks.ordered = false;
  return std::ranges::all_of(locks.calls, [&](const RecordedCall& release) {
    if (release.op != Op::kRelease || !release.Ok() || release.answer[0] == 0) return true;
    const auto harmless = [&](const Lock& lock) {
      const RecordedCall& grant = locks.calls[lock.grant];
      return lock.ends || grant.IsUnknown() || grant.session == release.session;
    };
    return locks.SomeOrderHas(release, {release.from, release.to}, [&](const auto& there) {
      return std::ranges::any_of(there, harmless);
    });
  });
}

// Whether the session of the release may have had the lock at some time of `when`, or not.
bool MayHave(bool has, const LocksInOrder& locks, const RecordedCall& release, Step when,
             int64_t lasts = kEver) {
  const auto is_own = [&](const Lock& lock) {
    return locks.calls[lock.grant].session == release.session;
  };
  return locks.SomeOrderHas(
      release, when, [&](const auto& there) { return std::ranges::any_of(there, is_own) == has; },
      lasts);
}

// Release result: for each release that checked the owner, may its lock have been there, if it
// says that it freed it, or gone, if it says that it did not?
bool ReleasesSaySoRightly(const History& history) {
  const RunFacts& facts = history.facts;
  const int64_t lasts = facts.library ? ToNs(facts.lease + facts.grace) : kEver;
  const LocksInOrder locks = LocksIn(history);
  return std::ranges::all_of(locks.calls, [&](const RecordedCall& release) {
    if (release.op != Op::kRelease || release.IsUnknown()) return true;
    const Step when{release.from, release.to};
    if (release.Ok()) return release.answer[0] != 0 || MayHave(true, locks, release, when, lasts);
    const bool freed_late = std::ranges::any_of(locks.calls, [&](const RecordedCall& earlier) {
      return earlier.op == Op::kRelease && earlier.session == release.session &&
             earlier.IsUnknown() && &earlier < &release;
    });
    return locks.GrantOf(release).answer[0] <= release.to || freed_late ||
           MayHave(false, locks, release, when);
  });
}

// Lost-lock notification: was each lock still there a lease and grace before its holder was
// notified, or released it?
bool HoldersAreNotifiedInTime(const History& history) {
  const int64_t patience = ToNs(history.facts.lease + history.facts.grace);
  const LocksInOrder locks = LocksIn(history);
  return std::ranges::all_of(locks.calls, [&](const RecordedCall& release) {
    if (release.op != Op::kRelease) return true;
    int64_t until = release.from;
    for (const Event& event : history.events) {
      if (event.op == Op::kLostNotification && event.hold == release.hold)
        until = std::min(until, event.value[0]);
    }
    const int64_t due = until - patience;
    return due <= locks.GrantOf(release).to || MayHave(true, locks, release, {due, due});
  });
}

}  // namespace

std::vector<ClaimTrials> ReleaseTrials() {
  return {
      {.claim = "release", .options = ReleasingRun, .is_right = ReleasesFreeTheirOwn},
      {.claim = "release-result", .options = ReleaseResultRun, .is_right = ReleasesSaySoRightly},
      {.claim = "lost-lock-notification",
       .options = NotifiedRun,
       .is_right = HoldersAreNotifiedInTime}};
}

}  // namespace doublehold::brute
