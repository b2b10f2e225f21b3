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

TEST_P(TrialsOfClaim, AgreeWithEveryOrderOnRandomHistories) {
  const int64_t histories = TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(20'000));
  const auto seed = static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261122));
  const ClaimTrialCounts counts = RunClaimTrials(GetParam(), seed, histories);
  EXPECT_EQ(counts.disagreement, "");
  const std::string line = fmt::format("{}", counts.histories);
  RecordProperty("counts", line);
  for (const bool unknowns : {false, true}) {
    const double all =
        static_cast<double>(counts.Count(unknowns, true) + counts.Count(unknowns, false));
    EXPECT_GT(all, 0.2 * static_cast<double>(histories)) << line;
    for (const bool right : {false, true})
      EXPECT_GT(static_cast<double>(counts.Count(unknowns, right)), 0.2 * all) << line;
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
    {"liveness", "a probe was granted or gave up: there is no order to try"},
    {"key-leak", "a key was there at the end or not; its excuses: key_leak_test.cc"},
    {"idle-traffic", "something was sent or not; its excuses: idle_traffic_test.cc"},
    {"max-wait", "the length of each wait is recorded; what is taken off: max_wait_test.cc"},
    {"commands-per-hold", "the time of each is recorded; exceptions: commands_per_hold_test.cc"},
    {"call-timeout",
     "the length of each call is recorded; what is taken off: call_timeout_test.cc"}};

TEST(ClaimTrials, EveryClaimHasThemOrAReasonWhyNot) {
  const std::vector<ClaimTrials> rows = AllClaimTrials();
  for (const CheckerEntry& entry : Checkers()) {
    const auto has = std::ranges::count(rows, entry.claim, &ClaimTrials::claim);
    const auto excused = std::ranges::count(kClaimsWithoutTrials, entry.claim, &NoTrials::claim);
    EXPECT_EQ(has + excused, 1) << entry.claim;
  }
}

}  // namespace
}  // namespace doublehold::brute
