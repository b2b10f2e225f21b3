#include "checker/testing/oracle/claim_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"
#include "lib/base/check.h"
#include "lib/history/jsonl.h"

namespace doublehold::brute {
namespace {

bool HasUnknownOutcome(const History& history) {
  int64_t open = 0;
  for (const Event& event : history.events) {
    if (event.client <= kReferee || event.op == Op::kLeave || event.op == Op::kLostNotification)
      continue;
    if (event.type == EventType::kInfo) return true;
    open += event.type == EventType::kInvoke ? 1 : -1;
  }
  return open != 0;
}

struct DrawnHistory {
  History history;
  bool explainable = false;
};

// Draws histories until one has two properties that coins decide: whether it has an operation of
// unknown outcome, and whether it is explainable. After kTries attempts, takes any history. Without
// the coins, nearly all histories would be of one kind.
DrawnHistory DrawHistory(const ClaimTrials& row, Prng& prng) {
  constexpr int kTries = 80;
  const bool has_unknown = prng.Below(2) == 0;
  const bool explainable = prng.Below(2) == 0;
  const Dice dice{prng};
  for (int tries = 1;; ++tries) {
    History history = RandomRun(dice, row.options(dice));
    if (tries < kTries && HasUnknownOutcome(history) != has_unknown) continue;
    const bool is_explainable = row.is_explainable(history);
    if (tries >= kTries || is_explainable == explainable)
      return {std::move(history), is_explainable};
  }
}

std::string ExplainDisagreement(const ClaimTrials& row, const DrawnHistory& drawn,
                                Outcome outcome) {
  if (drawn.explainable && outcome == Outcome::kViolated)
    return "the checker says violated, but some order explains the history";
  const MayMiss needed = HasUnknownOutcome(drawn.history) ? MayMiss::kWithUnknowns : MayMiss::kAny;
  if (!drawn.explainable && outcome == Outcome::kValid && row.may_miss < needed)
    return "the checker says valid, but no order explains the history";
  return "";
}

// Margins of how late one client was. One late client alone violates no claim.
constexpr std::string_view kMissedByOne[] = {"latest release after its lease",
                                             "latest grant after its lease",
                                             "longest after its lease that a release did not look"};

}  // namespace

std::string AsJsonl(const History& history) {
  std::ostringstream lines;
  WriteJsonl(history, lines);
  return lines.str();
}

std::string FindMissedMargin(const History& history) {
  for (const CheckerEntry& entry : Checkers()) {
    const ClaimVerdict verdict = entry.check(history, {});
    if (verdict.outcome != Outcome::kValid) continue;
    for (const Margin& margin : verdict.margins) {
      const bool by_one = std::ranges::find(kMissedByOne, margin.missed) != std::end(kMissedByOne);
      if (margin.value >= 0 || by_one) continue;
      return fmt::format("{} is valid, but {}: {} {}\n{}", entry.claim, margin.missed,
                         -margin.value, margin.unit, AsJsonl(history));
    }
  }
  return "";
}

std::vector<ClaimTrials> AllClaimTrials() {
  std::vector<ClaimTrials> all;
  for (const auto part : {ExclusionTrials, ReleaseTrials, WaitingTrials, DataTrials})
    std::ranges::copy(part(), std::back_inserter(all));
  return all;
}

int64_t ClaimTrialCounts::Count(bool has_unknown, bool explainable) const {
  const auto& [valid, unknown, violated] = histories[has_unknown ? 1 : 0][explainable ? 1 : 0];
  return valid + unknown + violated;
}

ClaimTrialCounts RunClaimTrials(const ClaimTrials& row, uint64_t seed, int64_t count) {
  const CheckerEntry* entry = FindChecker(row.claim);
  CHECK(entry != nullptr);
  ClaimTrialCounts counts;
  Prng prng(seed, row.claim);
  for (int64_t i = 0; i < count; ++i) {
    const DrawnHistory drawn = DrawHistory(row, prng);
    const ClaimVerdict verdict = entry->check(drawn.history, {});
    ++counts.histories[HasUnknownOutcome(drawn.history) ? 1 : 0][drawn.explainable ? 1 : 0]
                      [static_cast<size_t>(verdict.outcome)];
    const std::string disagreement = ExplainDisagreement(row, drawn, verdict.outcome);
    if (disagreement.empty()) continue;
    counts.disagreement =
        fmt::format("claim {}, seed {}, history {}: {}\n{}: {}\n{}", row.claim, seed, i,
                    disagreement, Name(verdict.outcome), verdict.reason, AsJsonl(drawn.history));
    break;
  }
  return counts;
}

}  // namespace doublehold::brute
