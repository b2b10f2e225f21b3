// For tests: compares each claim's checker with an oracle, on small random histories. The oracle
// tries every order in which the recorded operations can have taken effect. A history is
// explainable if the claim holds in some order. About half of the histories are explainable.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_CLAIM_TRIALS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_CLAIM_TRIALS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/testing/oracle/random_run.h"
#include "lib/history/history.h"

namespace doublehold::brute {

// The histories that the checker may call valid although they are not explainable: none, only those
// with an operation of unknown outcome, or any. A comment at the row states the reason.
enum class MayMiss : uint8_t { kNone, kWithUnknowns, kAny };

struct ClaimTrials {
  std::string_view claim;
  RunOptions (*options)(const Dice& dice) = nullptr;
  bool (*is_explainable)(const History& history) = nullptr;
  MayMiss may_miss = MayMiss::kNone;
};

std::vector<ClaimTrials> ExclusionTrials();
std::vector<ClaimTrials> ReleaseTrials();
std::vector<ClaimTrials> WaitingTrials();
std::vector<ClaimTrials> DataTrials();
std::vector<ClaimTrials> AllClaimTrials();

struct ClaimTrialCounts {
  // Counts by [has an operation of unknown outcome][is explainable][Outcome].
  std::array<std::array<std::array<int64_t, 3>, 2>, 2> histories{};
  // Describes the first disagreement: the seed, the number of the history, and its events as JSON
  // lines. The trials end at this history. Empty if there is no disagreement.
  std::string disagreement;

  [[nodiscard]] int64_t Count(bool has_unknown, bool explainable) const;
};
// Draws and judges up to `count` histories. The checker disagrees with the oracle if an explainable
// history is violated, or if another history is valid although `may_miss` does not allow this.
ClaimTrialCounts RunClaimTrials(const ClaimTrials& row, uint64_t seed, int64_t count);

std::string AsJsonl(const History& history);

// Judges all claims. Describes the first that is valid although its margin is below 0, and the
// history. Empty if there is none.
std::string FindMissedMargin(const History& history);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_CLAIM_TRIALS_H_
