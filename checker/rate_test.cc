#include "checker/rate.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(Rate, HasWilsonsInterval) {
  // Reference values: R, binom::binom.wilson.
  const Rate two_of_311 = RateOf(2, 311);
  EXPECT_NEAR(two_of_311.rate, 0.00643, 1e-5);
  EXPECT_NEAR(two_of_311.low, 0.00177, 1e-5);
  EXPECT_NEAR(two_of_311.high, 0.02314, 1e-5);
  const Rate all_of_10 = RateOf(10, 10);
  EXPECT_NEAR(all_of_10.low, 0.72247, 1e-5);
  EXPECT_DOUBLE_EQ(all_of_10.high, 1.0);
}

TEST(Rate, OfNoneSeenIsAtMostThreeInN) {
  EXPECT_DOUBLE_EQ(RateOf(0, 300).high, 0.01);
  EXPECT_DOUBLE_EQ(RateOf(0, 300).low, 0);
  EXPECT_DOUBLE_EQ(RateOf(0, 2).high, 1);
}

TEST(Rate, OfNothingIsNotKnown) {
  EXPECT_DOUBLE_EQ(RateOf(0, 0).low, 0);
  EXPECT_DOUBLE_EQ(RateOf(0, 0).high, 1);
}

TEST(Rate, OfMoreThanAllIsAll) { EXPECT_DOUBLE_EQ(RateOf(7, 5).rate, 1); }

}  // namespace
}  // namespace doublehold
