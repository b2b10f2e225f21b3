// For tests: random small histories of every claim, about half of them with something wrong, held
// against every order in which what they record can have happened.
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

// Which wrong histories the checker may call valid: the row says why.
enum class MayMiss : uint8_t { kNone, kWithUnknowns, kAny };

struct ClaimTrials {
  std::string_view claim;
  RunOptions (*options)(const Dice& dice) = nullptr;
  // Whether some execution in which the claim holds explains everything that is recorded.
  bool (*is_right)(const History& history) = nullptr;
  MayMiss may_miss = MayMiss::kNone;
};

std::vector<ClaimTrials> ExclusionTrials();
std::vector<ClaimTrials> ReleaseTrials();
std::vector<ClaimTrials> WaitingTrials();
std::vector<ClaimTrials> DataTrials();
std::vector<ClaimTrials> AllClaimTrials();

struct ClaimTrialCounts {
  // By whether the history has something of unknown outcome, whether it is right, and what the
  // checker says (Outcome).
  std::array<std::array<std::array<int64_t, 3>, 2>, 2> histories{};
  std::string disagreement;  // the first: seed, number, and the history in lines; then it ended

  [[nodiscard]] int64_t Count(bool unknowns, bool right) const;
};
// A right history is never violated; a wrong one is never valid, but for what the row may miss.
ClaimTrialCounts RunClaimTrials(const ClaimTrials& row, uint64_t seed, int64_t count);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_CLAIM_TRIALS_H_
