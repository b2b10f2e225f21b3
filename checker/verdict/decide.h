// Turns a checker's findings about its claim into a verdict.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_
#define DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/verdict/checker.h"

namespace doublehold {

// The parts of the sentence that becomes the reason of a verdict.
struct Reasons {
  std::string nothing_judged{};  // why no case was judged
  std::string judged{};          // "5 calls"
  std::string violated{};        // follows "2 of 5 calls": "took longer than 3s"
  std::string valid{};           // "none of {} took longer than 3s"; {} stands for `judged`
};

// Collects what a checker finds about its claim. Conclude has the rules by which every claim comes
// to its outcome.
class ClaimFindings {
 public:
  // `unit`: of the judged cases. `margin`: the names for NoteMargin.
  ClaimFindings(std::string unit, const Limits& limits, Margin margin = {});

  // A violation is counted apart from the case that was judged.
  void Judged(int64_t cases = 1) { verdict_.opportunities += cases; }
  void PassedOver(int64_t cases = 1) { passed_over_ += cases; }  // could not be judged

  // Counts a violation. `describe` returns it, and is called only if the description can matter:
  // describing costs more than counting. With `first_hold`, only the first few of a hold are
  // described: a hold that outlasts its lease by far overlaps hundreds of others, in one story.
  template <std::invocable Describe>
  void Violated(int64_t at_ns, const Describe& describe, uint64_t first_hold = 0) {
    ShouldDescribe(first_hold) ? Add(describe(), at_ns) : CountUndescribed(at_ns, first_hold);
  }
  void Add(Violation violation, int64_t at_ns);
  // Sets the number of violations, where one description stands for several.
  void CountAs(int64_t violations) { verdict_.count = violations; }

  // Why the claim may be violated. The first reason counts; nothing or "" is none.
  void Doubt(std::optional<std::string> why) {
    if (doubt_.empty()) doubt_ = std::move(why).value_or("");
  }

  // MarginFinder::Add, unless only the outcome is needed.
  template <typename... Near>
  void NoteMargin(int64_t value, const Near&... near) {
    if (describes()) margin_.Add(value, near...);
  }

  void AddMargins(std::vector<Margin> margins) { verdict_.margins = std::move(margins); }

  [[nodiscard]] bool describes() const { return limits_.violations_told > 0; }
  [[nodiscard]] int64_t judged() const { return verdict_.opportunities; }
  [[nodiscard]] int64_t violated() const { return verdict_.count; }
  // Whether nothing was violated or in doubt so far.
  [[nodiscard]] bool IsClean() const { return verdict_.count == 0 && doubt_.empty(); }
  [[nodiscard]] const std::string& FirstSentence() const { return first_sentence_; }

  // Unknown for this reason, whatever was found.
  ClaimVerdict Undecided(std::string why) &&;
  // The first rule that applies decides:
  // 1. There are violations: violated; unknown if stalls of the machine explain all of them.
  // 2. There is a doubt: unknown.
  // 3. No case was judged: unknown.
  // 4. More cases were passed over than judged: unknown.
  // 5. Valid.
  ClaimVerdict Conclude(Reasons reasons) &&;

 private:
  struct OfHold {
    int64_t told = 0;
    size_t last = 0;  // into the violations
  };
  ClaimVerdict Finish(std::optional<std::string> undecided) &&;
  [[nodiscard]] bool ShouldDescribe(uint64_t first_hold) const;
  void CountUndescribed(int64_t at_ns, uint64_t first_hold);
  void CountWith(uint64_t first_hold);

  Limits limits_;
  ClaimVerdict verdict_;
  MarginFinder margin_;
  int64_t passed_over_ = 0;
  std::string doubt_;
  bool all_by_stall_ = true;
  std::string first_sentence_;
  std::map<uint64_t, OfHold> of_hold_;
};

// The claim is undecided, for this reason.
ClaimVerdict Undecided(ClaimVerdict verdict, std::string why);

// Why a claim without violations is not valid: more cases were skipped than judged. Nothing: it is.
std::optional<std::string> WhyTooLittle(int64_t judged, int64_t passed_over, std::string_view of);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_
