#include "checker/claims/library/release_result.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "checker/claims/library/false_answers.h"
#include "checker/claims/library/lost_locks.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

class ReleaseResultChecker {
 public:
  ReleaseResultChecker(const Evidence& evidence, const Limits& limits)
      : evidence_(evidence), stories_(limits) {}

  ClaimVerdict Verdict() && {
    ClaimVerdict verdict{.unit = "releases of lost locks"};
    if (const auto why = WhyNoLossIsCertain(evidence_)) return Undecided(std::move(verdict), *why);
    for (const LostLock& lost : FindLostLocks(evidence_)) Judge(lost, verdict);
    for (const FalseAnswer& answer : FindFalseAnswers(evidence_)) Judge(answer, verdict);
    verdict.count = count_;
    if (count_ == 0 && !doubt_.empty()) return Undecided(std::move(verdict), doubt_);
    if (verdict.opportunities == 0)
      return Undecided(std::move(verdict),
                       "no release was answered of a lock that was certainly another's meanwhile");
    const std::string of = Counted(verdict.opportunities, "release");
    return Decided(
        std::move(verdict), std::move(stories_),
        denied_ ? fmt::format("{} of {} was answered falsely", count_, of)
                : fmt::format("{} of {} of a lost lock said that it had freed it", count_, of),
        fmt::format("each of {} of a lost lock said so", of));
  }

 private:
  void Judge(const LostLock& lost, ClaimVerdict& verdict) {
    const Call& release = *lost.release;
    const bool looked =
        release.outcome == EventType::kFail || (release.Ok() && release.answer[0] == 0);
    if (!looked) return;
    if (!lost.certain) {
      if (release.Ok()) Doubt(release, "was told that this freed its lock, which may have been so");
      return;
    }
    ++verdict.opportunities;
    judged_.insert(&release);
    if (release.outcome == EventType::kFail) return;
    ++count_;
    if (!stories_.Wanted()) return stories_.SawAt(release.to_ns);
    const Scene& scene = evidence_.scene();
    const Hold* theirs = evidence_.holds().Find(lost.last->hold);
    stories_.Add(TellDeed(
        scene, {.by = release.session,
                .under = lost.own,
                .harmed = theirs,
                .key = release.key,
                .when = {release.from_ns, release.to_ns},
                .what = fmt::format("released the key at {} and was told that this freed its lock, "
                                    "which {} had been granted at {}",
                                    At(release.from_ns), OwnerName(scene, lost.last->session),
                                    At(lost.last->to_ns)),
                .of_service = true}));
  }

  void Judge(const FalseAnswer& answer, ClaimVerdict& verdict) {
    const Call& release = *answer.release;
    if (judged_.contains(&release)) return;
    if (!answer.certain) return Doubt(release, Said(answer) + ", which may have been so");
    ++verdict.opportunities;
    ++count_;
    denied_ = denied_ || answer.what == Falsehood::kWasThere;
    if (!stories_.Wanted()) return stories_.SawAt(release.to_ns);
    stories_.Add(TellDeed(
        evidence_.scene(),
        {.by = release.session,
         .under = answer.own,
         .key = release.key,
         .when = {release.to_ns,
                  release.to_ns},  // a fault that delayed the answer may have begun meanwhile
         .what = fmt::format("released the key at {} and {}", At(release.from_ns), Said(answer)),
         .of_service = true}));
  }

  static std::string Said(const FalseAnswer& answer) {
    switch (answer.what) {
      case Falsehood::kWasOver:
        return fmt::format("was told that this freed its lock, whose lease was over since {}",
                           At(answer.at_ns));
      case Falsehood::kWasFreed:
        return fmt::format("was told that this freed its lock, which it had freed by {}",
                           At(answer.at_ns));
      case Falsehood::kWasThere:
        return fmt::format(
            "was told that the lock was not its own, though its lease ran until {} and nobody else "
            "was granted the key",
            At(answer.at_ns));
    }
    return "";
  }

  void Doubt(const Call& release, const std::string& what) {
    if (!doubt_.empty()) return;
    doubt_ = fmt::format("{} released the key at {} and {}",
                         OwnerName(evidence_.scene(), release.session), At(release.from_ns), what);
  }

  const Evidence& evidence_;
  ViolationLog stories_;
  std::set<const Call*> judged_;
  int64_t count_ = 0;
  bool denied_ = false;  // some release wrongly reported that a lock was lost
  std::string doubt_;
};

}  // namespace

ClaimVerdict CheckReleaseResult(const Evidence& evidence, const Limits& limits) {
  return ReleaseResultChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
