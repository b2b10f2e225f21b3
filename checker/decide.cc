#include "checker/decide.h"

namespace doublehold {

void Stories::Add(Violation violation) {
  if (!seen_) first_sentence_ = violation.sentence;
  seen_ = true;
  all_by_stall_ = all_by_stall_ && violation.by_stall;
  if (told_.size() < limit_) told_.push_back(std::move(violation));
}

ClaimVerdict Undecided(ClaimVerdict verdict, std::string why) {
  verdict.outcome = Outcome3::kUnknown;
  verdict.reason = std::move(why);
  return verdict;
}

ClaimVerdict Decided(ClaimVerdict verdict, Stories stories, std::string if_violated,
                     std::string if_valid) {
  const bool by_stall = stories.AllByStall();
  const std::string blamed = "only where the machine stalled a process: " + stories.FirstSentence();
  verdict.violations = std::move(stories).Take();
  if (verdict.count > 0 && by_stall) return Undecided(std::move(verdict), blamed);
  verdict.outcome = verdict.count > 0 ? Outcome3::kViolated : Outcome3::kValid;
  verdict.reason = verdict.count > 0 ? std::move(if_violated) : std::move(if_valid);
  return verdict;
}

}  // namespace doublehold
