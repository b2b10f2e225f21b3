// Compares each claim's checker with an oracle that tries every order, on random histories.
#include "checker/testing/oracle/claim_trials.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict/checker.h"
#include "lib/testing/trials.h"

namespace doublehold::brute {

void PrintTo(const ClaimTrials& trials, std::ostream* out) { *out << trials.claim; }

namespace {

class TrialsOfClaim : public ::testing::TestWithParam<ClaimTrials> {};

TEST_P(TrialsOfClaim, TheCheckerAgreesWithTheOracleOnRandomHistories) {
  const int64_t histories = TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(20'000));
  const auto seed = static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261122));
  const ClaimTrialCounts counts = RunClaimTrials(GetParam(), seed, histories);
  EXPECT_EQ(counts.disagreement, "");
  const std::string line = fmt::format("{}", counts.histories);
  RecordProperty("counts", line);
  for (const bool has_unknown : {false, true}) {
    const double all =
        static_cast<double>(counts.Count(has_unknown, true) + counts.Count(has_unknown, false));
    EXPECT_GT(all, 0.2 * static_cast<double>(histories)) << line;
    for (const bool explainable : {false, true})
      EXPECT_GT(static_cast<double>(counts.Count(has_unknown, explainable)), 0.2 * all) << line;
  }
}

TEST_P(TrialsOfClaim, NoValidVerdictContradictsItsMargin) {
  Prng prng(static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261128)), GetParam().claim);
  const Dice dice{prng};
  for (int64_t i = 0; i < NumTrials(5'000); ++i) {
    ASSERT_EQ(FindMissedMargin(RandomRun(dice, GetParam().options(dice))), "");
  }
}

INSTANTIATE_TEST_SUITE_P(EveryClaim, TrialsOfClaim, ::testing::ValuesIn(AllClaimTrials()),
                         [](const auto& info) {
                           std::string name(info.param.claim);
                           std::erase(name, '-');
                           return name;
                         });

struct NoTrials {
  std::string_view claim;
  std::string_view because;
};
constexpr NoTrials kClaimsWithoutTrials[] = {
    {"liveness", "a probe was granted or gave up, so there is no order to try"},
    {"extend-result",
     "its answers are compared with who must have the lock, which "
     "possession_trials_test.cc tries; extend_result_test.cc tests the rest"},
    {"key-leak", "a key exists at the end or not; key_leak_test.cc tests the excuses"},
    {"idle-traffic", "a command was sent or not; idle_traffic_test.cc tests the excuses"},
    {"max-wait", "the length of each wait is recorded; max_wait_test.cc tests the deductions"},
    {"commands-per-hold",
     "the time of each command is recorded; commands_per_hold_test.cc tests the exceptions"},
    {"commands-per-grant",
     "the time of each command is recorded; commands_per_grant_test.cc tests the exceptions"},
    {"call-timeout",
     "the length of each call is recorded; call_timeout_test.cc tests the deductions"}};

TEST(ClaimTrials, EveryClaimHasTrialsOrAReasonForNone) {
  const std::vector<ClaimTrials> rows = AllClaimTrials();
  for (const CheckerEntry& entry : Checkers()) {
    const auto tried = std::ranges::count(rows, entry.claim, &ClaimTrials::claim);
    const auto excused = std::ranges::count(kClaimsWithoutTrials, entry.claim, &NoTrials::claim);
    EXPECT_EQ(tried + excused, 1) << entry.claim;
  }
}

}  // namespace
}  // namespace doublehold::brute
