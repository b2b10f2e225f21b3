// The claims `exclusion` and `lease-exclusion`.
#include <algorithm>
#include <utility>
#include <vector>

#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {
namespace {

// The lock is plain, or an owner may enter it again, or readers share it. In two runs of three its
// server grants what is taken.
RunOptions HoldingRun(const Dice& dice) {
  const int64_t lease = dice.Chance(50) ? 2 + dice.Any(20) : 30 + dice.Any(60);
  const int64_t flavour = dice.Any(3);
  return {.lease = lease,
          .work = Work::kRead,
          .max_rounds = 2,
          .max_pause = 9,
          .max_stay = 6,
          .random_validity = true,
          .extends = true,
          .nested = flavour == 1 ? 50 : 0,
          .shared = flavour == 2 ? 67 : 0,
          .releases_unknown = 50,
          .forgets = 12,
          .leaves = 50,
          .killed = 33,
          .reentrant = true,
          .grants_taken = dice.Chance(67) ? 67 : 0};
}

// Exclusion: is there an order of the acquires and the releases, each between its call and its
// return, in which only a free lock is granted?
bool SomeOrderExcludes(const History& history) {
  using Owners = std::vector<std::pair<SessionId, bool>>;  // and whether they share it; sorted
  const std::vector<HoldSpan> holds = HoldsIn(history);
  std::vector<Step> steps;
  for (const HoldSpan& hold : holds) {
    steps.push_back({.from = hold.grant.from, .to = hold.grant.to});
    steps.push_back(
        {.from = hold.end, .to = hold.gone, .after = static_cast<int>(steps.size()) - 1});
  }
  return SomeOrder(steps, Owners{}, [&](Owners owners, size_t step) -> std::vector<Owners> {
    const HoldSpan& hold = holds[step / 2];
    const std::pair own(hold.grant.session, hold.shared);
    if (step % 2 == 1) {
      owners.erase(std::ranges::find(owners, own));
      return {owners};
    }
    const bool is_free = std::ranges::all_of(owners, [&](const auto& owner) {
      return owner.first == own.first || (owner.second && own.second);
    });
    owners.insert(std::ranges::upper_bound(owners, own), own);
    return OnlyIf(is_free, owners);
  });
}

// A hold that was promised, and its extensions.
struct Promise {
  HoldSpan hold;
  std::vector<RecordedCall> extensions;

  // Until when the client believes it is promised the lock, at `now`. While an extension is under
  // way or of unknown outcome: not beyond the lease that it asked for.
  [[nodiscard]] int64_t Until(double now) const {
    int64_t until = hold.grant.answer[0];
    for (const RecordedCall& extension : extensions) {
      if (static_cast<double>(extension.from) > now || extension.Failed()) continue;
      const bool answered = extension.Ok() && static_cast<double>(extension.to) <= now;
      until = answered ? extension.answer[0] : std::min(until, extension.from + extension.asked[0]);
    }
    return until;
  }

  // Released at the instant of its grant: nothing but that instant.
  [[nodiscard]] bool IsPoint() const { return hold.grant.to == hold.kept; }

  // It was promised the lock before `now` and is after, and did not release it.
  [[nodiscard]] bool HoldsAt(double now) const {
    constexpr double kLittle = 0.25;  // nothing happens within it
    const auto from = static_cast<double>(hold.grant.to);
    const auto end = static_cast<double>(hold.kept);
    const auto promised = [&](double at) { return at < static_cast<double>(Until(at)); };
    if (IsPoint()) return now == from && promised(now);
    return from < now && now < end && promised(now - kLittle) && promised(now + kLittle);
  }
};

std::vector<Promise> PromisesIn(const History& history) {
  std::vector<Promise> promises;
  for (const HoldSpan& hold : HoldsIn(history)) {
    Promise promise{.hold = hold, .extensions = {}};
    for (RecordedCall& extension : CallsIn(history, {Op::kExtend})) {
      if (extension.hold != hold.grant.hold || extension.invoked_at > hold.end_event) continue;
      // A success after the hold's end promises nothing more.
      if (extension.Ok() && extension.answered_at > hold.end_event)
        extension.outcome = EventType::kInfo;
      promise.extensions.push_back(extension);
    }
    promises.push_back(promise);
  }
  return promises;
}

// Lease exclusion: is there no instant at which two sessions are promised the lock?
bool PromisesNeverOverlap(const History& history) {
  const std::vector<Promise> promises = PromisesIn(history);
  const int64_t last = history.events.empty() ? 0 : history.events.back().at_ns;
  for (int64_t half = 0; half <= 2 * last + 1; ++half) {
    const double now = static_cast<double>(half) / 2;
    for (const Promise& a : promises) {
      for (const Promise& b : promises) {
        const bool may_overlap = a.hold.grant.session == b.hold.grant.session ||
                                 (a.hold.shared && b.hold.shared) || (a.IsPoint() && b.IsPoint());
        if (!may_overlap && a.HoldsAt(now) && b.HoldsAt(now)) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<ClaimTrials> ExclusionTrials() {
  return {{.claim = "exclusion", .options = HoldingRun, .is_right = SomeOrderExcludes},
          {.claim = "lease-exclusion", .options = HoldingRun, .is_right = PromisesNeverOverlap}};
}

}  // namespace doublehold::brute
