#include "checker/claims/library/lost_lock_notification.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "checker/evidence/claim_checker.h"
#include "checker/evidence/library.h"
#include "checker/evidence/lost_locks.h"
#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

std::optional<std::string> ExplainMissingSupport(const RunFacts& facts) {
  if (!facts.library) return "no library was asked: the lock is a built-in one";
  if (LibraryCan(facts, "lost")) return std::nullopt;
  return fmt::format("{} does not say when it has lost a lock", facts.library->name);
}

class LostLockNotificationChecker : ClaimChecker {
 public:
  LostLockNotificationChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "holds of lost locks") {}

  ClaimVerdict Verdict() && {
    if (const auto why = ExplainMissingSupport(facts_)) return std::move(found_).Undecided(*why);
    if (const auto why = WhyNoLossIsCertain(evidence_)) return std::move(found_).Undecided(*why);
    for (const Event& event : evidence_.history().events) {
      if (event.op == Op::kLostNotification && event.client > kReferee)
        notified_ns_.try_emplace(event.hold, event.value[0]);
    }
    for (const LostLock& lost : FindLostLocks(evidence_)) {
      if (!lost.again) Judge(lost);
    }
    return std::move(found_).Conclude(
        {.nothing_judged =
             "nobody held on to a certainly lost lock for longer than lease and grace",
         .judged = Counted(found_.judged(), "hold"),
         .violated = "of a lost lock got no notification within lease and grace",
         .valid = "the holder was told in each of {} of a lost lock"});
  }

 private:
  // Returns the time from the answer of `grant` to `until_ns` in which the library could have
  // notified the holder.
  [[nodiscard]] int64_t AvailableNs(const LostLock& lost, const Call& grant,
                                    int64_t until_ns) const {
    const Span when{grant.to_ns, until_ns};
    if (when.to_ns <= when.from_ns) return 0;
    return when.to_ns - when.from_ns -
           BlockedTimeNs(disturbances_, lost.own->client, Side::kWatchdog, when);
  }

  // Returns when the holder was notified; nullopt if the holder was not notified before its
  // release.
  [[nodiscard]] std::optional<int64_t> NotifiedNs(const LostLock& lost) const {
    const auto notification = notified_ns_.find(lost.own->hold);
    if (notification == notified_ns_.end() || notification->second > lost.release->from_ns)
      return std::nullopt;
    return notification->second;
  }

  void Judge(const LostLock& lost) {
    const int64_t ended_ns = lost.release->from_ns;
    const std::optional<int64_t> notified_ns = NotifiedNs(lost);
    const auto was_not_notified = [&](const Call& grant) {
      return AvailableNs(lost, grant, notified_ns.value_or(ended_ns)) > patience_ns_;
    };
    const bool is_certain = !lost.doubt && !lost.entered_again;
    const bool unnotified = is_certain && was_not_notified(*lost.first);
    if (!unnotified && was_not_notified(*lost.perhaps)) return Doubt(lost);
    if (!is_certain || AvailableNs(lost, *lost.first, ended_ns) <= patience_ns_) return;
    found_.Judged();
    if (unnotified) found_.Violated(ended_ns, [&] { return DescribeViolation(lost, notified_ns); });
  }

  [[nodiscard]] Violation DescribeViolation(const LostLock& lost,
                                            std::optional<int64_t> notified_ns) const {
    const int64_t ended_ns = lost.release->from_ns;
    const std::string when = notified_ns ? fmt::format("only at {}", At(*notified_ns)) : "never";
    Violation violation = DescribeWrongOperation(
        disturbances_,
        {.by = lost.release->session,
         .under = lost.own,
         .harmed = holds_.Find(lost.first->hold),
         .key = lost.release->key,
         .when = {ended_ns, ended_ns},
         .what = fmt::format(
             "held the key until {} and was {} told that its lock was lost, which {} had been "
             "granted at {}",
             At(ended_ns), when, OwnerName(disturbances_, lost.first->session),
             At(lost.first->to_ns)),
         .of_service = true});
    if (const FaultEpisode* fault = FindBlockingFault(lost, violation.fault))
      violation.sentence += "; meanwhile " + FaultClause(disturbances_, *fault);
    return violation;
  }

  // Returns a fault other than `named` that may have prevented a renewal; null if there is none.
  [[nodiscard]] const FaultEpisode* FindBlockingFault(const LostLock& lost, int32_t named) const {
    for (const FaultEpisode* episode :
         disturbances_.EpisodesWithin({lost.first->to_ns, lost.release->from_ns})) {
      const FaultFact& fault = FaultFor(disturbances_.facts, *episode);
      const bool can_block = episode->client <= 0 || episode->client == lost.own->client;
      if (can_block && !Does(fault, FaultTrait::kSlows) && episode->fault != named) return episode;
    }
    return nullptr;
  }

  void Doubt(const LostLock& lost) {
    const Why perhaps = lost.entered_again ? Why{.what = Why::What::kEntries}
                                           : Why{.what = Why::What::kReentry, .call = lost.perhaps};
    const Why why = lost.doubt.value_or(perhaps);
    found_.Doubt(
        fmt::format("{} was not notified of a loss within lease and grace and held the key until "
                    "{}, but may not have lost it: {}",
                    OwnerName(disturbances_, lost.release->session), At(lost.release->from_ns),
                    WhyClause(disturbances_, why)));
  }

  const int64_t patience_ns_ = ToNs(facts_.lease + facts_.grace);
  std::unordered_map<uint64_t, int64_t> notified_ns_;  // by hold
};

}  // namespace

ClaimVerdict CheckLostLockNotification(const Evidence& evidence, const Limits& limits) {
  return LostLockNotificationChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
