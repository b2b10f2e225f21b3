// Judges hundreds of executions of a lock service. A correct one never violates a claim, even with
// late and lost answers. Each planted defect is found.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "checker/claims/data/exactly_once.h"
#include "checker/claims/data/stock.h"
#include "checker/claims/data/torn_read.h"
#include "checker/claims/library/release_result.h"
#include "checker/claims/lock/fencing.h"
#include "checker/claims/lock/order.h"
#include "checker/claims/lock/reentry.h"
#include "checker/claims/lock/release.h"
#include "checker/testing/reference_service.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

using Outcomes = std::map<std::string, std::array<int, 3>>;

std::map<std::string, CheckFunction> ClaimsTrueLocks(const ServiceOptions& options) {
  std::map<std::string, CheckFunction> claims{{"release", CheckRelease},
                                              {"release-result", CheckReleaseResult},
                                              {"fencing", CheckFencing},
                                              {"order", CheckOrder},
                                              {"reentry", CheckReentry}};
  if (options.sells) claims["stock"] = CheckStock;
  if (!options.sells) claims["torn-read"] = CheckTornRead;
  if (!options.sells) claims["exactly-once"] = CheckExactlyOnce;
  return claims;
}

ServiceOptions AnyOptions(Prng& prng) {
  const auto coin = [&prng] { return prng.Below(2) == 0; };
  ServiceOptions options{.sessions = static_cast<int>(2 + prng.Below(4)),
                         .reentrant = coin(),
                         .fair = true,
                         .readers = coin(),
                         .punctual = coin(),
                         .unchecked = prng.Below(4) == 0,
                         .losses = coin(),
                         .sells = coin()};
  // A late release without a name undoes another entry.
  if (options.reentrant && !options.punctual) options.losses = false;
  if (options.reentrant) options.unchecked = false;
  if (options.unchecked) options.readers = false;
  return options;
}

TEST(TrueLocks, ACorrectServiceNeverViolatesAClaim) {
  Prng prng(1, "true");
  Outcomes outcomes;
  const int64_t rounds = NumTrials(800);
  for (int64_t round = 0; round < rounds; ++round) {
    const ServiceOptions options = AnyOptions(prng);
    const History history = RunService(options, prng);
    for (const auto& [claim, check] : ClaimsTrueLocks(options)) {
      const ClaimVerdict verdict = check(history, {});
      ++outcomes[claim][static_cast<size_t>(verdict.outcome)];
      ASSERT_NE(verdict.outcome, Outcome::kViolated)
          << claim << " in round " << round << ": " << verdict.reason << "; "
          << (verdict.violations.empty() ? "" : verdict.violations[0].sentence);
    }
  }
  for (const auto& [claim, counts] : outcomes) {
    EXPECT_GT(counts[static_cast<size_t>(Outcome::kValid)], rounds / 8) << claim;
    RecordProperty(claim, counts[static_cast<size_t>(Outcome::kValid)]);
  }
}

struct Planted {
  std::string claim;
  ServiceOptions options;
};

TEST(TrueLocks, EveryPlantedDefectIsFound) {
  Prng prng(2, "planted");
  const int64_t rounds = NumTrials(400);
  for (const Planted& planted : std::vector<Planted>{
           {"release", {.defect = Defect::kReleasesUnchecked, .punctual = false, .losses = false}},
           {"fencing", {.defect = Defect::kLosesTokens}},
           {"fencing", {.defect = Defect::kTakesStaleTokens, .punctual = false}},
           {"order", {.defect = Defect::kNoQueue, .sessions = 5, .fair = true}},
           {"reentry", {.defect = Defect::kInnerExitFrees, .reentrant = true, .losses = false}},
           {"reentry",
            {.defect = Defect::kCountsTwice, .sessions = 2, .reentrant = true, .losses = false}},
           {"torn-read", {.defect = Defect::kNoLock, .sells = false}},
           {"exactly-once", {.defect = Defect::kNoLock, .sells = false}},
           {"stock", {.defect = Defect::kTriesAgain}}}) {
    int violated = 0, valid = 0;
    for (int64_t round = 0; round < rounds; ++round) {
      const History history = RunService(planted.options, prng);
      const ClaimVerdict verdict = ClaimsTrueLocks(planted.options).at(planted.claim)(history, {});
      violated += verdict.outcome == Outcome::kViolated ? 1 : 0;
      valid += verdict.outcome == Outcome::kValid ? 1 : 0;
      ASSERT_EQ(verdict.violations.empty(), verdict.count == 0);
    }
    EXPECT_GT(violated, rounds / 20)
        << planted.claim << ", defect " << static_cast<int>(planted.options.defect)
        << "; valid: " << valid;
  }
}

}  // namespace
}  // namespace doublehold
