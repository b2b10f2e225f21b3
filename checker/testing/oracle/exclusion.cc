// Oracles of the claims `exclusion` and `lease-exclusion`.
#include <algorithm>
#include <utility>
#include <vector>

#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {
namespace {

// Draws options for a plain lock, for a lock that its owner re-enters, or for a lock that readers
// share. In two of three runs the server may grant a held lock.
RunOptions DrawHoldOptions(const Dice& dice) {
  const int64_t lease = dice.Chance(50) ? 2 + dice.Below(20) : 30 + dice.Below(60);
  const int64_t flavour = dice.Below(3);
  return {.lease = lease,
          .work = Work::kRead,
          .max_rounds = 2,
          .max_pause = 9,
          .max_stay = 6,
          .random_validity = true,
          .extends = true,
          .nested = flavour == 1 ? 50 : 0,
          .shared = flavour == 2 ? 67 : 0,
          .releases_after_unknown = 50,
          .forgets_release = 12,
          .leaves = 50,
          .killed = 33,
          .reentrant = true,
          .grants_held_lock = dice.Chance(67) ? 67 : 0};
}

// Judges `exclusion`. An order of the acquires and releases must exist in which only a free lock is
// granted. Each call takes effect between its invocation and its answer. The lock also counts as
// free for its owner, and for a reader while only readers hold it.
bool HoldsCanBeOrdered(const History& history) {
  using Owners = std::vector<std::pair<SessionId, bool>>;  // (owner, shared), sorted
  const std::vector<HoldSpan> holds = ExtractHoldSpans(history);
  std::vector<Step> steps;
  for (const HoldSpan& hold : holds) {
    steps.push_back({.from = hold.grant.from, .to = hold.grant.to});
    steps.push_back(
        {.from = hold.end, .to = hold.freed_by, .after = static_cast<int>(steps.size()) - 1});
  }
  return CanOrderSteps(steps, Owners{}, [&](Owners owners, size_t step) -> std::vector<Owners> {
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
    return NextStateIf(is_free, owners);
  });
}

// A hold, with the extensions of its lease.
struct LeasedHold {
  HoldSpan hold;
  std::vector<RecordedCall> extensions;

  // The end of the lease, as the client knows it at `now`. An extension that is under way or has an
  // unknown outcome may shorten the lease to the end that it requests, but does not prolong it.
  [[nodiscard]] int64_t LeaseEnd(double now) const {
    int64_t until = hold.grant.answer[0];
    for (const RecordedCall& extension : extensions) {
      if (static_cast<double>(extension.from) > now || extension.Failed()) continue;
      const bool answered = extension.Ok() && static_cast<double>(extension.to) <= now;
      until = answered ? extension.answer[0] : std::min(until, extension.from + extension.asked[0]);
    }
    return until;
  }

  // Whether the hold ended at the instant of its grant.
  [[nodiscard]] bool IsPoint() const { return hold.grant.to == hold.kept_until; }

  // Whether `now` is inside the hold, and the lease is valid just before and just after `now`. For
  // a hold of zero length: whether `now` is its instant, and the lease is valid at that instant.
  [[nodiscard]] bool HoldsAt(double now) const {
    constexpr double kEpsilon = 0.25;  // event times are whole numbers
    const auto from = static_cast<double>(hold.grant.to);
    const auto end = static_cast<double>(hold.kept_until);
    const auto is_valid = [&](double at) { return at < static_cast<double>(LeaseEnd(at)); };
    if (IsPoint()) return now == from && is_valid(now);
    return from < now && now < end && is_valid(now - kEpsilon) && is_valid(now + kEpsilon);
  }
};

std::vector<LeasedHold> ExtractLeasedHolds(const History& history) {
  std::vector<LeasedHold> holds;
  for (const HoldSpan& hold : ExtractHoldSpans(history)) {
    LeasedHold leased{.hold = hold, .extensions = {}};
    for (RecordedCall& extension : ListRecordedCalls(history, {Op::kExtend})) {
      if (extension.hold != hold.grant.hold || extension.invoked_at > hold.end_event) continue;
      // An extension that succeeds after the hold's end does not prolong the lease.
      if (extension.Ok() && extension.answered_at > hold.end_event)
        extension.outcome = EventType::kInfo;
      leased.extensions.push_back(extension);
    }
    holds.push_back(leased);
  }
  return holds;
}

// Judges `lease-exclusion`. No instant may exist at which two sessions have a valid lease. Tries
// every whole ns, and the middle between each two.
bool LeasesNeverOverlap(const History& history) {
  const std::vector<LeasedHold> holds = ExtractLeasedHolds(history);
  const int64_t last = history.events.empty() ? 0 : history.events.back().at_ns;
  for (int64_t half = 0; half <= 2 * last + 1; ++half) {
    const double now = static_cast<double>(half) / 2;
    for (const LeasedHold& a : holds) {
      for (const LeasedHold& b : holds) {
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
  return {{.claim = "exclusion", .options = DrawHoldOptions, .is_explainable = HoldsCanBeOrdered},
          {.claim = "lease-exclusion",
           .options = DrawHoldOptions,
           .is_explainable = LeasesNeverOverlap}};
}

}  // namespace doublehold::brute
