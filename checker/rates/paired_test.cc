#include "checker/rates/paired.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lib/base/prng.h"

namespace doublehold {
namespace {

TEST(DifferenceOf, SeesADifferenceOnlyIfNearlyAllDivergingPairsAreOnOneSide) {
  struct Case {
    const char* name;
    PairCount pairs;
    Difference difference;
  };
  for (const Case& one : std::vector<Case>{
           {"no pairs", {}, Difference::kNotSeen},
           {"all pairs agree", {.of = 100, .both = 50}, Difference::kNotSeen},
           {"seven of seven are too few", {.of = 7, .only_first = 7}, Difference::kNotSeen},
           {"eight of eight", {.of = 8, .only_first = 8}, Difference::kMore},
           {"the other side", {.of = 9, .only_second = 9}, Difference::kLess},
           {"pairs that agree change nothing",
            {.of = 200, .only_second = 9, .both = 100},
            Difference::kLess},
           {"both sides", {.of = 30, .only_first = 20, .only_second = 10}, Difference::kNotSeen},
           {"an undecided pair may be on the other side",
            {.of = 9, .only_first = 8, .undecided = 1},
            Difference::kNotSeen},
           {"an undecided pair that changes nothing",
            {.of = 15, .only_first = 14, .undecided = 1},
            Difference::kMore}}) {
    EXPECT_EQ(DifferenceOf(one.pairs, 0.95), one.difference) << one.name;
  }
  EXPECT_EQ(FewestForDifference(0.95), 8);
  EXPECT_EQ(FewestForDifference(0.995), 12);
}

TEST(BoundsOf, BoundsTheDifference) {
  const Interval none = BoundsOf({.of = 100}, 0.95);
  EXPECT_LT(none.high, 0.08);
  EXPECT_GT(none.low, -0.08);
  const Interval all = BoundsOf({.of = 20, .only_first = 20}, 0.95);
  EXPECT_GT(all.low, 0.4);
  EXPECT_EQ(all.high, 1);
  // The pairs that differ show the direction, although the bounds of the rates do not.
  EXPECT_EQ(BoundsOf({.of = 8, .only_first = 8}, 0.95).low, 0);
  EXPECT_EQ(BoundsOf({.of = 8, .only_second = 8}, 0.95).high, 0);
  const Interval open = BoundsOf({}, 0.95);
  EXPECT_EQ(open.low, -1);
  EXPECT_EQ(open.high, 1);
  // Undecided pairs widen the bounds on both sides.
  const Interval undecided = BoundsOf({.of = 100, .undecided = 20}, 0.95);
  EXPECT_GT(undecided.high, 0.2);
  EXPECT_LT(undecided.low, -0.2);
}

TEST(ShiftOf, IsTheMedianAndItsBounds) {
  std::vector<double> above;
  for (int i = 1; i <= 20; ++i) above.push_back(i);
  const Shift more = ShiftOf(above, 0.95);
  EXPECT_EQ(more.difference, Difference::kMore);
  EXPECT_EQ(more.median, 10.5);
  EXPECT_GT(more.bounds.low, 0);
  EXPECT_LT(more.bounds.low, 8);
  EXPECT_EQ(more.bounds.low + more.bounds.high, 21);  // symmetric

  std::vector<double> below = above;
  for (double& value : below) value = -value;
  EXPECT_EQ(ShiftOf(below, 0.95).difference, Difference::kLess);
  above[0] = -1;
  above[1] = -2;
  above[2] = -3;
  above[3] = -4;
  EXPECT_EQ(ShiftOf(above, 0.95).difference, Difference::kNotSeen);
  EXPECT_TRUE(std::isinf(ShiftOf({1, 2, 3}, 0.95).bounds.low));
  EXPECT_EQ(ShiftOf({}, 0.95).difference, Difference::kNotSeen);
  EXPECT_EQ(MedianOf({}), 0);
}

// A look after every pair, and a stop at the first difference: equal locks still differ in at most
// 5 % of the comparisons.
TEST(DifferenceOf, EqualLocksSeldomDifferAtAnyLook) {
  constexpr int kComparisons = 200, kPairs = 100;
  int rates = 0, shifts = 0;
  for (int comparison = 0; comparison < kComparisons; ++comparison) {
    Prng prng(7, "equal locks", static_cast<uint64_t>(comparison));
    PairCount pairs;
    std::vector<double> differences;
    bool rates_differ = false, shifted = false;
    for (int i = 0; i < kPairs; ++i) {
      const bool first = prng.Unit() < 0.5, second = prng.Unit() < 0.5;
      ++pairs.of;
      pairs.only_first += first && !second ? 1 : 0;
      pairs.only_second += second && !first ? 1 : 0;
      rates_differ = rates_differ || DifferenceOf(pairs, 0.95) != Difference::kNotSeen;
      const double offset = prng.Unit() - 0.5;
      differences.push_back(offset * offset * offset);
      if (i % 4 == 0)
        shifted = shifted || ShiftOf(differences, 0.95).difference != Difference::kNotSeen;
    }
    rates += rates_differ ? 1 : 0;
    shifts += shifted ? 1 : 0;
  }
  EXPECT_LE(rates, kComparisons / 20);
  EXPECT_LE(shifts, kComparisons / 20);
}

}  // namespace
}  // namespace doublehold
