#include "checker/rates/share.h"

#include <gtest/gtest.h>

#include "lib/base/prng.h"

namespace doublehold {
namespace {

struct ShareRow {
  const char* name;
  std::vector<TrialShare> trials;
  double rate, low, high;
};

// The reference values were computed from the formula in Python, with t = 3.1824463.
TEST(Share, ItsIntervalIsOverTrialsAndNotOverEvents) {
  for (const ShareRow& row :
       {ShareRow{
            "all updates of one trial in four", {{10, 10}, {0, 10}, {0, 10}, {0, 10}}, 0.25, 0, 1},
        {"between 1 and 3 of 10", {{1, 10}, {2, 10}, {2, 10}, {3, 10}}, 0.2, 0.070077, 0.347573},
        {"equal shares: Wilson's interval",
         {{2, 10}, {2, 10}, {2, 10}, {2, 10}},
         0.2,
         0.105000,
         0.347573},
        {"trials of different size count by their events",
         {{4, 8}, {0, 24}, {0, 4}, {0, 4}},
         0.1,
         0,
         0.471134},
        {"nothing lost: the exact upper end for 0 of 4 trials",
         {{0, 10}, {0, 10}, {0, 10}, {0, 10}},
         0,
         0,
         0.602365},
        {"all lost: the exact lower end for 3 of 3 trials",
         {{10, 10}, {10, 10}, {10, 10}},
         1,
         0.292402,
         1},
        {"a trial without events counts as none", {{0, 10}, {0, 0}, {0, 0}}, 0, 0, 1},
        {"two trials are enough", {{2, 10}, {2, 10}}, 0.2, 0.080658, 0.416017},
        {"one trial", {{3, 10}}, 0.3, 0, 1},
        {"no events", {{0, 0}, {0, 0}}, 0, 0, 1}}) {
    const Rate share = ShareOf(row.trials);
    EXPECT_NEAR(share.rate, row.rate, 1e-6) << row.name;
    EXPECT_NEAR(share.low, row.low, 1e-6) << row.name;
    EXPECT_NEAR(share.high, row.high, 1e-6) << row.name;
  }
}

TEST(Share, CoversTheTrueShareAlthoughErrorsCluster) {
  constexpr int kRuns = 2000, kTrials = 12, kEvents = 8;
  Prng random(1, "share");
  int covered = 0, covered_by_wilson = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<TrialShare> trials;
    TrialShare all;
    for (int i = 0; i < kTrials; ++i) {
      // None or half of the events go wrong together, so the true share is a quarter.
      trials.push_back({.count = 4 * static_cast<int64_t>(random.Below(2)), .of = kEvents});
      all = {.count = all.count + trials.back().count, .of = all.of + kEvents};
    }
    const auto covers = [](double low, double high) { return low <= 0.25 && 0.25 <= high; };
    const Rate share = ShareOf(trials);
    const Interval wilson = WilsonOf(all.count, all.of);
    covered += covers(share.low, share.high) ? 1 : 0;
    covered_by_wilson += covers(wilson.low, wilson.high) ? 1 : 0;
  }
  EXPECT_GE(covered, kRuns * 93 / 100);
  EXPECT_LT(covered_by_wilson, kRuns * 90 / 100);
}

TEST(Share, CoversTheTrueShareOfThreeTrialsThatLoseAllOrNothing) {
  constexpr int kLost = 3;
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    double covered = 0;
    for (unsigned int lost = 0; lost < 1U << kLost; ++lost) {
      std::vector<TrialShare> trials;
      double probability = 1;
      for (int i = 0; i < kLost; ++i) {
        const bool all = ((lost >> i) & 1) != 0;
        trials.push_back({.count = all ? 10 : 0, .of = 10});
        probability *= all ? share : 1 - share;
      }
      const Rate found = ShareOf(trials);
      if (found.low <= share && share <= found.high) covered += probability;
    }
    EXPECT_GE(covered, 0.95) << share;
  }
}

}  // namespace
}  // namespace doublehold
