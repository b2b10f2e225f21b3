// Some of the random histories that brute_trials tries with this seed.
#include "checker/testing/oracle/claim_trials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checker/verdict/checker.h"
#include "lib/testing/trials.h"

namespace doublehold::brute {

void PrintTo(const ClaimTrials& trials, std::ostream* out) { *out << trials.claim; }

namespace {

class TrialsOfClaim : public ::testing::TestWithParam<ClaimTrials> {};

TEST_P(TrialsOfClaim, AgreeWithEveryOrderOnRandomHistories) {
  const int64_t histories = NumTrials(20'000);
  constexpr uint64_t kSeed = 20261122;
  const ClaimTrialCounts counts = RunClaimTrials(GetParam(), kSeed, histories);
  EXPECT_EQ(counts.disagreement, "");
  RecordProperty("counts", counts.Line());
  for (const bool perhaps : {false, true}) {
    const double all = static_cast<double>(counts.Of(perhaps, true) + counts.Of(perhaps, false));
    EXPECT_GT(all, 0.2 * static_cast<double>(histories)) << counts.Line();
    for (const bool innocent : {false, true})
      EXPECT_GT(static_cast<double>(counts.Of(perhaps, innocent)), 0.2 * all) << counts.Line();
  }
}

INSTANTIATE_TEST_SUITE_P(EveryClaim, TrialsOfClaim, ::testing::ValuesIn(AllClaimTrials()),
                         [](const auto& info) {
                           std::string name(info.param.claim);
                           std::erase(name, '-');
                           return name;
                         });

TEST(ClaimTrials, EveryClaimHasThemOrAReasonWhyNot) {
  for (const CheckerEntry& entry : Checkers()) {
    const auto rows = AllClaimTrials();
    const auto none = ClaimsWithoutTrials();
    const auto has = std::ranges::count(rows, entry.claim, &ClaimTrials::claim);
    const auto excused = std::ranges::count(none, entry.claim, &NoTrials::claim);
    EXPECT_EQ(has + excused, 1) << entry.claim;
  }
}

}  // namespace
}  // namespace doublehold::brute
