#include "checker/testing/oracle/claim_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/testing/oracle/rows.h"
#include "checker/verdict/checker.h"
#include "lib/base/check.h"
#include "lib/history/jsonl.h"

namespace doublehold::brute {
namespace {

// Something that was not answered, or not for certain.
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

// One of the kind that a coin wants, if one turns up: else nearly all would be right, or complete.
std::pair<History, bool> Draw(const ClaimTrials& row, Prng& prng) {
  constexpr int kTries = 80;
  const bool perhaps = prng.Below(2) == 0;
  const bool wrong = prng.Below(2) == 0;
  for (int tries = 1;; ++tries) {
    History history = row.any(prng);
    if (tries < kTries && HasUnknowns(history) != perhaps) continue;
    const bool innocent = row.innocent(history);
    if (tries >= kTries || innocent != wrong) return {std::move(history), innocent};
  }
}

std::string Agrees(const ClaimTrials& row, const History& history, bool innocent,
                   const ClaimVerdict& verdict) {
  if (innocent && verdict.outcome == Outcome::kViolated)
    return "it is called violated, and every order was tried: it can have come about rightly";
  const bool may_miss = !row.misses.empty() && (row.misses_complete_ones || HasUnknowns(history));
  if (!innocent && verdict.outcome == Outcome::kValid && !may_miss)
    return "it is called valid, and no order explains it";
  return row.besides == nullptr ? "" : row.besides(history, innocent);
}

}  // namespace

std::span<const ClaimTrials> AllClaimTrials() {
  static const std::vector<ClaimTrials> rows{ExclusionTrials(),
                                             LeaseExclusionTrials(),
                                             ReleaseTrials(),
                                             ReleaseResultTrials(),
                                             LostLockNotificationTrials(),
                                             AvailabilityTrials(),
                                             FencingTrials(),
                                             StockTrials(),
                                             ExactlyOnceTrials(),
                                             TornReadTrials(),
                                             OrderTrials(),
                                             ReentryTrials()};
  return rows;
}

std::span<const NoTrials> ClaimsWithoutTrials() {
  static constexpr std::array<NoTrials, 6> kNone{
      {{"liveness",
        "a probe was granted or gave up: there is no order to try, and brute force would be the "
        "same lines again"},
       {"key-leak",
        "a key was there at the end or not: there is no order to try, and what may explain one is "
        "tried in "
        "key_leak_test.cc"},
       {"idle-traffic",
        "something was sent or not: there is no order to try, and what may explain it is tried in "
        "idle_traffic_test.cc"},
       {"max-wait",
        "how long each wait took is recorded: there is no order to try, and what is taken off is "
        "tried in max_wait_test.cc"},
       {"commands-per-hold",
        "when each was sent is recorded: there is no order to try, and what is passed over is "
        "tried in commands_per_hold_test.cc"},
       {"call-timeout",
        "how long each call took is recorded: there is no order to try, and what is taken off is "
        "tried in call_timeout_test.cc"}}};
  return kNone;
}

int64_t ClaimTrialCounts::Of(bool perhaps, bool innocent) const {
  int64_t sum = 0;
  for (const int64_t count : histories[perhaps ? 1 : 0][innocent ? 1 : 0]) sum += count;
  return sum;
}

std::string ClaimTrialCounts::Line() const {
  std::string line;
  for (const bool perhaps : {false, true}) {
    for (const bool innocent : {true, false}) {
      const auto& [valid, unknown, violated] = histories[perhaps ? 1 : 0][innocent ? 1 : 0];
      line +=
          fmt::format("{}{}, {}: {} ({} valid, {} unknown, {} violated)", line.empty() ? "" : "; ",
                      perhaps ? "with unknowns" : "complete", innocent ? "right" : "wrong",
                      Of(perhaps, innocent), valid, unknown, violated);
    }
  }
  return line;
}

ClaimTrialCounts RunClaimTrials(const ClaimTrials& row, uint64_t seed, int64_t count) {
  const CheckerEntry* entry = FindChecker(row.claim);
  CHECK(entry != nullptr);
  ClaimTrialCounts counts;
  Prng prng(seed, row.claim);
  for (int64_t i = 0; i < count; ++i) {
    const auto [history, innocent] = Draw(row, prng);
    const ClaimVerdict verdict = entry->check(history, {});
    ++counts.histories[HasUnknowns(history) ? 1 : 0][innocent ? 1 : 0]
                      [static_cast<size_t>(verdict.outcome)];
    const std::string disagreement = Agrees(row, history, innocent, verdict);
    if (disagreement.empty()) continue;
    std::ostringstream lines;
    WriteJsonl(history, lines);
    counts.disagreement =
        fmt::format("claim {}, seed {}, history {}: {}\n{}: {}\n{}", row.claim, seed, i,
                    disagreement, Name(verdict.outcome), verdict.reason, lines.str());
    break;
  }
  return counts;
}

}  // namespace doublehold::brute
