#include "checker/claims/library/release_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/evidence/claim_checker.h"
#include "checker/evidence/false_answers.h"
#include "checker/evidence/lost_locks.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

class ReleaseResultChecker : ClaimChecker {
 public:
  ReleaseResultChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "releases") {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyNoLossIsCertain(evidence_)) return std::move(found_).Undecided(*why);
    const std::vector<LostLock> lost_locks = FindLostLocks(evidence_);
    for (const LostLock& lost : lost_locks) Judge(lost);
    for (const FalseAnswer& answer : FindFalseAnswers(evidence_)) Judge(answer);
    if (lost_locks.empty() && found_.judged() == 0) return std::move(*this).WithoutLosses();
    return std::move(found_).Conclude(
        {.nothing_judged =
             "no release was answered of a lock that was certainly another's meanwhile",
         .judged = Counted(found_.judged(), "release"),
         .violated = denied_ ? "was answered falsely" : "of a lost lock said that it had freed it",
         .valid = "each of {} of a lost lock said so"});
  }

 private:
  // If no lock was certainly lost, the claim only says that a release of a held lock succeeds. A
  // nested exit frees nothing, and a hold that was never released makes all later exits nested.
  ClaimVerdict WithoutLosses() && {
    std::map<std::pair<SessionId, uint16_t>, int64_t> entries;
    for (const Call& call : calls_.all) {
      int64_t& inside = entries[{call.session, call.key}];
      if (call.op == Op::kAcquire && call.Ok()) ++inside;
      const Hold* own = call.op == Op::kRelease ? holds_.Find(call.hold) : nullptr;
      if (own == nullptr || --inside > 0 || call.outcome == EventType::kFail) continue;
      const bool frees = call.Ok() && call.answer[0] == 0;
      if (frees && Before(call.to_ns, own->valid_until_ns))
        found_.Judged();
      else if (const Hold* other = frees ? FindGrantMeanwhile(call, *own) : nullptr)
        Doubt(call, "was told that this freed its lock", "wrong",
              {.what = Why::What::kGranted, .hold = other});
      else
        found_.PassedOver();
    }
    return std::move(found_).Conclude(
        {.nothing_judged = "no release that checks the owner was answered within its lease",
         .judged = Counted(found_.judged(), "release"),
         .valid =
             "each of {} of a held lock said that it had freed it; no lock was certainly lost"});
  }

  // Returns a hold that another session was granted since the grant of `own`, and before the answer
  // of its release; null if there is none.
  [[nodiscard]] const Hold* FindGrantMeanwhile(const Call& release, const Hold& own) const {
    auto other = std::ranges::upper_bound(holds_.all, own.core.from_ns, {},
                                          [](const Hold& hold) { return hold.core.from_ns; });
    for (; other != holds_.all.end() && other->core.from_ns <= release.to_ns; ++other) {
      const bool readers = own.shared && other->shared;
      if (other->key == own.key && other->owner() != own.owner() && !readers) return &*other;
    }
    return nullptr;
  }

  void Judge(const LostLock& lost) {
    const Call& release = *lost.release;
    const bool checked_owner =
        release.outcome == EventType::kFail || (release.Ok() && release.answer[0] == 0);
    if (!checked_owner) return;
    const std::optional<Why> doubt =
        FirstOf(lost.doubt, evidence_.disturbed().MayReturnKeys({release.from_ns, release.to_ns}));
    if (doubt) {
      if (release.Ok()) Doubt(release, DescribeLostLock(lost), "right", *doubt);
      return;
    }
    found_.Judged();
    judged_.insert(&release);
    if (release.outcome == EventType::kFail) return;
    found_.Violated(release.to_ns, [&] { return DescribeLoss(lost); });
  }

  [[nodiscard]] Violation DescribeLoss(const LostLock& lost) const {
    const Call& release = *lost.release;
    return DescribeWrongOperation(
        disturbances_, {.by = release.session,
                        .under = lost.own,
                        .harmed = holds_.Find(lost.last->hold),
                        .key = release.key,
                        .when = {release.from_ns, release.to_ns},
                        .what = fmt::format("released the key at {} and {}", At(release.from_ns),
                                            DescribeLostLock(lost)),
                        .of_service = true});
  }

  [[nodiscard]] std::string DescribeLostLock(const LostLock& lost) const {
    return fmt::format("was told that this freed its lock, which {} had been granted at {}",
                       OwnerName(disturbances_, lost.last->session), At(lost.last->to_ns));
  }

  void Judge(const FalseAnswer& answer) {
    const Call& release = *answer.release;
    if (judged_.contains(&release)) return;
    if (answer.doubt) return Doubt(release, DescribeAnswer(answer), "right", *answer.doubt);
    found_.Judged();
    denied_ = denied_ || answer.kind == FalseAnswerKind::kStillHeld;
    found_.Violated(release.to_ns, [&] {
      return DescribeWrongOperation(
          disturbances_, {.by = release.session,
                          .under = answer.own,
                          .key = release.key,
                          // A fault that delayed the answer may begin after the invocation.
                          .when = {release.to_ns, release.to_ns},
                          .what = fmt::format("released the key at {} and {}", At(release.from_ns),
                                              DescribeAnswer(answer)),
                          .of_service = true});
    });
  }

  static std::string DescribeAnswer(const FalseAnswer& answer) {
    switch (answer.kind) {
      case FalseAnswerKind::kLeaseEnded:
        return fmt::format("was told that this freed its lock, whose lease was over since {}",
                           At(answer.at_ns));
      case FalseAnswerKind::kAlreadyFreed:
        return fmt::format("was told that this freed its lock, which it had freed by {}",
                           At(answer.at_ns));
      case FalseAnswerKind::kStillHeld:
        return fmt::format(
            "was told that the lock was not its own, though its lease ran until {}{}",
            At(answer.at_ns),
            answer.doubt ? "" : " and nobody else had been granted the key since");
    }
    return "";
  }

  void Doubt(const Call& release, const std::string& what, std::string_view perhaps,
             const Why& why) {
    found_.Doubt(fmt::format("{} released the key at {} and {}; that answer may be {}: {}",
                             OwnerName(disturbances_, release.session), At(release.from_ns), what,
                             perhaps, WhyClause(disturbances_, why)));
  }

  std::set<const Call*> judged_;
  bool denied_ = false;  // a release wrongly reported that a lock was lost
};

}  // namespace

ClaimVerdict CheckReleaseResult(const Evidence& evidence, const Limits& limits) {
  return ReleaseResultChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
