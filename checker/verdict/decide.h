// How a checker comes from the violations that it found to its outcome.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_
#define DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/verdict/checker.h"

namespace doublehold {

// Collects violations as they are found. Keeps the first ones to describe, and whether the machine
// alone explains all of them.
class ViolationLog {
 public:
  explicit ViolationLog(const Limits& limits) : limits_(limits) {}

  // Whether describing a further violation can still matter; describing costs more than counting.
  [[nodiscard]] bool Wanted() const {
    return told_.size() < limits_.violations_told || all_by_stall_;
  }
  void Add(Violation violation) {
    const int64_t at_ns = violation.to_ns;
    Add(std::move(violation), at_ns);
  }
  void Add(Violation violation, int64_t came_about_at_ns);
  // Counts a violation that is not described.
  void SawAt(int64_t at_ns) { seen_.push_back({.at_ns = at_ns}); }

  // `Wanted` for a violation with this first hold. A hold that outlasts its lease by far overlaps
  // hundreds of others, and these are one story. Violations that are not wanted are counted with
  // the last described one of their hold.
  [[nodiscard]] bool Wanted(uint64_t first_hold) const;
  void CountUntold(uint64_t first_hold, int64_t came_about_at_ns);

  [[nodiscard]] bool empty() const { return seen_.empty(); }
  // Whether every violation is explained_by_stall; false if there are none.
  [[nodiscard]] bool AllByStall() const { return !seen_.empty() && all_by_stall_; }
  [[nodiscard]] const std::string& FirstSentence() const { return first_sentence_; }
  // The described violations, and the times of all.
  [[nodiscard]] std::pair<std::vector<Violation>, std::vector<Sighting>> Take() && {
    return {std::move(told_), std::move(seen_)};
  }

 private:
  struct OfHold {
    int64_t told = 0;
    size_t last = 0;  // into told_
  };
  void CountWith(uint64_t first_hold);

  Limits limits_;
  bool all_by_stall_ = true;
  std::string first_sentence_;
  std::vector<Violation> told_;
  std::vector<Sighting> seen_;
  std::map<uint64_t, OfHold> of_hold_;
};

// The claim is undecided, for this reason.
ClaimVerdict Undecided(ClaimVerdict verdict, std::string why);

// Why a claim without violations is not valid: more cases were skipped than judged. Nothing: it is.
std::optional<std::string> WhyTooLittle(int64_t judged, int64_t passed_over, std::string_view of);

// Violated if something was counted, unless the machine explains all of it; else valid.
ClaimVerdict Decided(ClaimVerdict verdict, ViolationLog stories, std::string if_violated,
                     std::string if_valid);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_
