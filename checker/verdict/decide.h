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

// Collects the findings of a checker. Conclude has the rules that derive the outcome of every
// claim.
class ClaimFindings {
 public:
  // `unit`: the plural name of the judged cases, for example "holds". `margin`: the names and the
  // unit of the margin that NoteMargin computes.
  ClaimFindings(std::string unit, const Limits& limits, Margin margin = {});

  // Counts judged cases, violated or not. Violated counts the violations.
  void Judged(int64_t cases = 1) { verdict_.opportunities += cases; }
  void PassedOver(int64_t cases = 1) { passed_over_ += cases; }  // cases that could not be judged

  // Counts a violation. `describe` returns the violation. Violated calls `describe` only if the
  // description can matter, since describing costs more than counting. If `first_hold` is not 0,
  // only the first few violations with this first hold are described: a hold far past its lease can
  // overlap hundreds of others.
  template <std::invocable Describe>
  void Violated(int64_t at_ns, const Describe& describe, uint64_t first_hold = 0) {
    ShouldDescribe(first_hold) ? Add(describe(), at_ns) : CountUndescribed(at_ns, first_hold);
  }
  void Add(Violation violation, int64_t at_ns);
  // Sets the number of violations. A checker needs this if one description stands for several
  // violations.
  void CountAs(int64_t violations) {
    verdict_.count = violations;
    all_by_stall_ = all_by_stall_ && !limits_.no_stalls;
  }

  // Records why the claim may be violated, although no violation is proved. Only the first reason
  // is kept. Nothing and "" are no reason.
  void Doubt(std::optional<std::string> why) {
    if (doubt_.empty()) doubt_ = std::move(why).value_or("");
  }

  // Calls MarginFinder::Add, unless only the outcome is needed.
  template <typename... Near>
  void NoteMargin(int64_t value, const Near&... near) {
    if (describes()) margin_.Add(value, near...);
  }

  void AddMargins(std::vector<Margin> margins) { verdict_.margins = std::move(margins); }

  [[nodiscard]] bool describes() const { return limits_.violations_told > 0; }
  // Whether a description can matter.
  [[nodiscard]] bool needs_descriptions() const { return describes() || !limits_.no_stalls; }
  [[nodiscard]] int64_t judged() const { return verdict_.opportunities; }
  [[nodiscard]] int64_t violated() const { return verdict_.count; }
  // Whether there is no violation and no doubt so far.
  [[nodiscard]] bool IsClean() const { return verdict_.count == 0 && doubt_.empty(); }
  [[nodiscard]] const std::string& doubt() const { return doubt_; }
  [[nodiscard]] const std::string& FirstSentence() const { return first_sentence_; }

  // Returns an unknown verdict for the reason `why`, and drops the violations.
  ClaimVerdict Undecided(std::string why) &&;
  // The first rule that applies decides:
  // 1. There are violations, and stalls of the machine explain all of them: unknown.
  // 2. There are violations: violated.
  // 3. There is a doubt: unknown.
  // 4. No case was judged: unknown.
  // 5. More cases were passed over than judged: unknown.
  // 6. None of the above: valid.
  ClaimVerdict Conclude(Reasons reasons) &&;

 private:
  // The violations with one first hold.
  struct OneHold {
    int64_t added = 0;
    size_t last = 0;  // index of the last described violation in ClaimVerdict::violations
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
  std::map<uint64_t, OneHold> by_first_hold_;
};

// Returns `verdict` as unknown, for the reason `why`.
ClaimVerdict Undecided(ClaimVerdict verdict, std::string why);

// Returns why a claim without violations is unknown, if more cases were passed over than judged.
// Returns nothing otherwise.
std::optional<std::string> WhyTooLittle(int64_t judged, int64_t passed_over, std::string_view of);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_DECIDE_H_
