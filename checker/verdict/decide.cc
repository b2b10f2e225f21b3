#include "checker/verdict/decide.h"

#include <fmt/format.h>

namespace doublehold {

ClaimFindings::ClaimFindings(std::string unit, const Limits& limits, Margin margin)
    : limits_(limits), verdict_{.unit = std::move(unit)}, margin_(std::move(margin)) {}

void ClaimFindings::Add(Violation violation, int64_t at_ns) {
  if (verdict_.seen.empty()) first_sentence_ = violation.sentence;
  ++verdict_.count;
  verdict_.seen.push_back({.at_ns = at_ns, .explained_by_stall = violation.explained_by_stall});
  all_by_stall_ = all_by_stall_ && violation.explained_by_stall;
  std::vector<Violation>& described = verdict_.violations;
  if (described.size() >= limits_.violations_told) return;
  if (violation.first) {
    OneHold& one_hold = by_first_hold_[violation.first->hold];
    if (++one_hold.added > limits_.told_of_a_hold) return CountWith(violation.first->hold);
    one_hold.last = described.size();
  }
  described.push_back(std::move(violation));
}

bool ClaimFindings::ShouldDescribe(uint64_t first_hold) const {
  if (!needs_descriptions()) return false;
  if (all_by_stall_) return true;
  if (verdict_.violations.size() >= limits_.violations_told) return false;
  const auto found = by_first_hold_.find(first_hold);
  return found == by_first_hold_.end() || found->second.added < limits_.told_of_a_hold;
}

void ClaimFindings::CountUndescribed(int64_t at_ns, uint64_t first_hold) {
  ++verdict_.count;
  all_by_stall_ = false;
  verdict_.seen.push_back({.at_ns = at_ns});
  CountWith(first_hold);
}

void ClaimFindings::CountWith(uint64_t first_hold) {
  const auto found = by_first_hold_.find(first_hold);
  if (found != by_first_hold_.end()) ++verdict_.violations[found->second.last].undescribed;
}

ClaimVerdict ClaimFindings::Undecided(std::string why) && {
  verdict_.violations.clear();
  verdict_.seen.clear();
  return std::move(*this).Finish(std::move(why));
}

ClaimVerdict ClaimFindings::Finish(std::optional<std::string> undecided) && {
  if (auto margin = std::move(margin_).Take()) verdict_.margins.push_back(std::move(*margin));
  if (undecided) return doublehold::Undecided(std::move(verdict_), *std::move(undecided));
  verdict_.outcome = verdict_.count > 0 ? Outcome::kViolated : Outcome::kValid;
  return std::move(verdict_);
}

ClaimVerdict ClaimFindings::Conclude(Reasons reasons) && {
  std::optional<std::string> undecided;
  if (verdict_.count > 0) {
    if (!verdict_.seen.empty() && all_by_stall_) {
      undecided = "only where the machine stalled a process: " + first_sentence_;
    } else if (describes()) {
      verdict_.reason =
          fmt::format("{} of {} {}", verdict_.count, reasons.judged, reasons.violated);
    }
  } else if (!doubt_.empty()) {
    undecided = doubt_;
  } else if (judged() == 0) {
    undecided = std::move(reasons.nothing_judged);
  } else {
    undecided = WhyTooLittle(judged(), passed_over_, verdict_.unit);
    verdict_.reason = std::move(reasons.valid);
    if (const size_t at = verdict_.reason.find("{}"); at != std::string::npos)
      verdict_.reason.replace(at, 2, reasons.judged);
  }
  return std::move(*this).Finish(std::move(undecided));
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

}  // namespace doublehold
