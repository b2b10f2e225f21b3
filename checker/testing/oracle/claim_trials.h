// For tests: random small histories of every claim, about half of them with something wrong, held
// against every order in which what they record can have happened.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_CLAIM_TRIALS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_CLAIM_TRIALS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold::brute {

struct ClaimTrials {
  std::string_view claim;
  History (*any)(Prng& prng) = nullptr;
  // Whether everything that is recorded can have come about though nothing went wrong that the
  // claim is about.
  bool (*innocent)(const History& history) = nullptr;
  // What else must agree with that; empty: it does.
  std::string (*besides)(const History& history, bool innocent) = nullptr;
  // Why a history that is not innocent may be called valid all the same, and whether only one with
  // something of unknown outcome may; empty: none may.
  std::string_view misses = "";
  bool misses_complete_ones = false;
};

// The rows; and the claims that have none, with the reason.
std::span<const ClaimTrials> AllClaimTrials();
struct NoTrials {
  std::string_view claim;
  std::string_view because;
};
std::span<const NoTrials> ClaimsWithoutTrials();

struct ClaimTrialCounts {
  // By whether something of unknown outcome is among them, whether they are innocent, and their
  // outcome (Outcome).
  std::array<std::array<std::array<int64_t, 3>, 2>, 2> histories{};
  std::string disagreement;  // the first: seed, number, and the history in lines; then it ended

  [[nodiscard]] int64_t Of(bool perhaps, bool innocent) const;
  [[nodiscard]] std::string Line() const;
};
// An innocent history is never violated; one that is not is never valid, but for what the row says.
ClaimTrialCounts RunClaimTrials(const ClaimTrials& row, uint64_t seed, int64_t count);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_CLAIM_TRIALS_H_
