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

bool HasUnknowns(const History& history) {
  int64_t open = 0;
  for (const Event& event : history.events) {
    if (event.client <= kReferee || event.op == Op::kLeave || event.op == Op::kLostNotification)
      continue;
    if (event.type == EventType::kInfo) return true;
    open += event.type == EventType::kInvoke ? 1 : -1;
  }
  return open != 0;
}

struct Drawn {
  History history;
  bool right = false;
};

// Of the kind that two coins want, if one turns up: else nearly all would be right, or complete.
Drawn Draw(const ClaimTrials& row, Prng& prng) {
  constexpr int kTries = 80;
  const bool unknowns = prng.Below(2) == 0;
  const bool right = prng.Below(2) == 0;
  const Dice dice{prng};
  for (int tries = 1;; ++tries) {
    History history = RandomRun(dice, row.options(dice));
    if (tries < kTries && HasUnknowns(history) != unknowns) continue;
    const bool is_right = row.is_right(history);
    if (tries >= kTries || is_right == right) return {std::move(history), is_right};
  }
}

std::string Disagreement(const ClaimTrials& row, const Drawn& drawn, Outcome outcome) {
  if (drawn.right && outcome == Outcome::kViolated)
    return "it is called violated, and an order explains it";
  const MayMiss misses = HasUnknowns(drawn.history) ? MayMiss::kWithUnknowns : MayMiss::kAny;
  if (!drawn.right && outcome == Outcome::kValid && row.may_miss < misses)
    return "it is called valid, and no order explains it";
  return "";
}

}  // namespace

std::vector<ClaimTrials> AllClaimTrials() {
  std::vector<ClaimTrials> all;
  for (const auto part : {ExclusionTrials, ReleaseTrials, WaitingTrials, DataTrials})
    std::ranges::copy(part(), std::back_inserter(all));
  return all;
}

int64_t ClaimTrialCounts::Count(bool unknowns, bool right) const {
  const auto& [valid, unknown, violated] = histories[unknowns ? 1 : 0][right ? 1 : 0];
  return valid + unknown + violated;
}

ClaimTrialCounts RunClaimTrials(const ClaimTrials& row, uint64_t seed, int64_t count) {
  const CheckerEntry* entry = FindChecker(row.claim);
  CHECK(entry != nullptr);
  ClaimTrialCounts counts;
  Prng prng(seed, row.claim);
  for (int64_t i = 0; i < count; ++i) {
    const Drawn drawn = Draw(row, prng);
    const ClaimVerdict verdict = entry->check(drawn.history, {});
    ++counts.histories[HasUnknowns(drawn.history) ? 1 : 0][drawn.right ? 1 : 0]
                      [static_cast<size_t>(verdict.outcome)];
    const std::string disagreement = Disagreement(row, drawn, verdict.outcome);
    if (disagreement.empty()) continue;
    std::ostringstream lines;
    WriteJsonl(drawn.history, lines);
    counts.disagreement =
        fmt::format("claim {}, seed {}, history {}: {}\n{}: {}\n{}", row.claim, seed, i,
                    disagreement, Name(verdict.outcome), verdict.reason, lines.str());
    break;
  }
  return counts;
}

}  // namespace doublehold::brute
