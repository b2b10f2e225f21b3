#include "checker/verdict/decide.h"

#include <fmt/format.h>

#include <tuple>

namespace doublehold {

void ViolationLog::Add(Violation violation, int64_t came_about_at_ns) {
  if (seen_.empty()) first_sentence_ = violation.sentence;
  seen_.push_back({.at_ns = came_about_at_ns, .explained_by_stall = violation.explained_by_stall});
  all_by_stall_ = all_by_stall_ && violation.explained_by_stall;
  if (told_.size() >= limits_.violations_told) return;
  if (violation.first) {
    OfHold& of_hold = of_hold_[violation.first->hold];
    if (++of_hold.told > limits_.told_of_a_hold) return CountWith(violation.first->hold);
    of_hold.last = told_.size();
  }
  told_.push_back(std::move(violation));
}

bool ViolationLog::Wanted(uint64_t first_hold) const {
  if (!Wanted() || all_by_stall_) return Wanted();
  const auto found = of_hold_.find(first_hold);
  return found == of_hold_.end() || found->second.told < limits_.told_of_a_hold;
}

void ViolationLog::CountUntold(uint64_t first_hold, int64_t came_about_at_ns) {
  SawAt(came_about_at_ns);
  CountWith(first_hold);
}

void ViolationLog::CountWith(uint64_t first_hold) {
  const auto found = of_hold_.find(first_hold);
  if (found != of_hold_.end()) ++told_[found->second.last].untold;
}

ClaimVerdict Undecided(ClaimVerdict verdict, std::string why) {
  verdict.outcome = Outcome::kUnknown;
  verdict.reason = std::move(why);
  return verdict;
}

std::optional<std::string> WhyTooLittle(int64_t judged, int64_t passed_over, std::string_view of) {
  if (passed_over <= judged) return std::nullopt;
  return fmt::format("only {} of {} {} could be judged", judged, judged + passed_over, of);
}

ClaimVerdict Decided(ClaimVerdict verdict, ViolationLog stories, std::string if_violated,
                     std::string if_valid) {
  const bool blamed = verdict.count > 0 && stories.AllByStall();
  const std::string why =
      blamed ? "only where the machine stalled a process: " + stories.FirstSentence() : "";
  std::tie(verdict.violations, verdict.seen) = std::move(stories).Take();
  if (blamed) return Undecided(std::move(verdict), why);
  verdict.outcome = verdict.count > 0 ? Outcome::kViolated : Outcome::kValid;
  verdict.reason = verdict.count > 0 ? std::move(if_violated) : std::move(if_valid);
  return verdict;
}

}  // namespace doublehold
