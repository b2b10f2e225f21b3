#include "checker/rates/rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace doublehold {
namespace {

TEST(Rate, RateOfReturnsWilsonsInterval) {
  // The reference values were computed with binom::binom.wilson in R.
  const Rate two_of_311 = RateOf(2, 311);
  EXPECT_NEAR(two_of_311.rate, 0.00643, 1e-5);
  EXPECT_NEAR(two_of_311.low, 0.00177, 1e-5);
  EXPECT_NEAR(two_of_311.high, 0.02314, 1e-5);
  const Rate all_of_10 = RateOf(10, 10);
  EXPECT_NEAR(all_of_10.low, 0.72247, 1e-5);
  EXPECT_DOUBLE_EQ(all_of_10.high, 1.0);
}

TEST(Rate, WithoutViolationsTheUpperEndIsThreeDividedByN) {
  EXPECT_DOUBLE_EQ(RateOf(0, 300).high, 0.01);
  EXPECT_DOUBLE_EQ(RateOf(0, 300).low, 0);
  EXPECT_DOUBLE_EQ(RateOf(0, 300).rate, 0);
  EXPECT_DOUBLE_EQ(RateOf(1, 300).rate, 1.0 / 300);
  EXPECT_DOUBLE_EQ(RateOf(0, 2).high, 1);
}

TEST(Rate, WithoutOpportunitiesTheIntervalIsZeroToOne) {
  EXPECT_DOUBLE_EQ(RateOf(0, 0).low, 0);
  EXPECT_DOUBLE_EQ(RateOf(0, 0).high, 1);
}

struct IntervalRow {
  int64_t count, of;
  double confidence, low, high;
};

TEST(Rate, MatchesReferenceValuesOfClopperAndPearsonsInterval) {
  // The reference values were computed from exact binomial tails by bisection. Values for n = 10
  // are from binom.test in R.
  for (const IntervalRow& row : {IntervalRow{0, 10, 0.95, 0, 0.308497},
                                 {10, 10, 0.95, 0.691503, 1},
                                 {1, 10, 0.95, 0.002529, 0.445016},
                                 {5, 10, 0.95, 0.187086, 0.812914},
                                 {2, 311, 0.95, 0.000780, 0.023036},
                                 {0, 299, 0.90, 0, 0.009969},
                                 {9, 5, 0.95, 0.478176, 1},
                                 {0, 0, 0.95, 0, 1}}) {
    const Interval interval = ClopperPearsonOf(row.count, row.of, row.confidence);
    EXPECT_NEAR(interval.low, row.low, 1e-6) << row.count << " of " << row.of;
    EXPECT_NEAR(interval.high, row.high, 1e-6) << row.count << " of " << row.of;
  }
}

TEST(Rate, MatchesTablesOfWilsonsInterval) {
  for (const IntervalRow& row : {IntervalRow{0, 10, 0.95, 0, 0.277533},
                                 {10, 10, 0.95, 0.722467, 1},
                                 {1, 10, 0.95, 0.017876, 0.404150},
                                 {81, 263, 0.95, 0.255289, 0.366210},  // Newcombe 1998, table I
                                 {15, 148, 0.95, 0.062386, 0.160487},
                                 {5, 10, 0.99, 0.184226, 0.815774},
                                 {0, 0, 0.95, 0, 1}}) {
    const Interval interval = WilsonOf(row.count, row.of, row.confidence);
    EXPECT_NEAR(interval.low, row.low, 1e-6) << row.count << " of " << row.of;
    EXPECT_NEAR(interval.high, row.high, 1e-6) << row.count << " of " << row.of;
  }
}

// The probability that the exact interval misses `rate`, summed over all outcomes of `of` trials.
double MissProbability(double rate, int64_t of) {
  double missed = 0;
  double chance = std::pow(1 - rate, static_cast<double>(of));  // probability of k violations
  for (int64_t k = 0; k <= of; ++k) {
    const Interval interval = ClopperPearsonOf(k, of);
    if (rate < interval.low || rate > interval.high) missed += chance;
    chance *= static_cast<double>(of - k) / static_cast<double>(k + 1) * rate / (1 - rate);
  }
  return missed;
}

TEST(Rate, TheExactIntervalMissesNoMoreOftenThanItsLevel) {
  for (const int64_t of : {1, 5, 17, 60}) {
    for (double rate = 0.005; rate < 1; rate += 0.007) {
      EXPECT_LE(MissProbability(rate, of), 0.05 + 1e-9) << rate << " of " << of;
    }
  }
}

TEST(Rate, ACountAboveTheOpportunitiesGivesARateOfOne) { EXPECT_DOUBLE_EQ(RateOf(7, 5).rate, 1); }

}  // namespace
}  // namespace doublehold
