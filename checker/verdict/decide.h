// How every checker comes from what it saw to its outcome.
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

// Violations as they are found: keeps the first that are to be told, and whether the machine alone
// explains all of them.
class Stories {
 public:
  explicit Stories(const Limits& limits) : limits_(limits) {}

  // Whether a further violation would still change anything; telling one costs more than seeing it.
  [[nodiscard]] bool Wanted() const {
    return told_.size() < limits_.violations_told || all_by_stall_;
  }
  void Add(Violation violation) {
    const int64_t at_ns = violation.to_ns;
    Add(std::move(violation), at_ns);
  }
  void Add(Violation violation, int64_t came_about_at_ns);
  // One that is counted and not told.
  void SawAt(int64_t at_ns) { seen_.push_back({.at_ns = at_ns}); }

  // The same for a violation whose first hold is this one: a hold that lasted for long past its
  // lease overlaps hundreds, and they are one story. Who is not wanted is counted with the last
  // that was told of its hold.
  [[nodiscard]] bool Wanted(uint64_t first_hold) const;
  void CountUntold(uint64_t first_hold, int64_t came_about_at_ns);

  [[nodiscard]] bool empty() const { return seen_.empty(); }
  // Every one of them is by_stall. False when there was none.
  [[nodiscard]] bool AllByStall() const { return !seen_.empty() && all_by_stall_; }
  [[nodiscard]] const std::string& FirstSentence() const { return first_sentence_; }
  // What is told, and when everything came about.
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

// Nothing can be said, and why.
ClaimVerdict Undecided(ClaimVerdict verdict, std::string why);

// Why a claim that nothing speaks against is not valid: more of it was passed over than was judged.
std::optional<std::string> WhyTooLittle(int64_t judged, int64_t passed_over, std::string_view of);

// Violated when something was counted, unless the machine is to blame for all of it; else valid.
ClaimVerdict Decided(ClaimVerdict verdict, Stories stories, std::string if_violated,
                     std::string if_valid);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_
