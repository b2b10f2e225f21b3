#include "lib/base/prng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace doublehold {
namespace {

std::vector<uint64_t> Draw(Prng random, int count) {
  std::vector<uint64_t> drawn;
  drawn.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) drawn.push_back(random.Next());
  return drawn;
}

TEST(Prng, EqualSeedAndNameGiveEqualNumbers) {
  EXPECT_EQ(Draw(Prng(7, "session", 2), 100), Draw(Prng(7, "session", 2), 100));
}

TEST(Prng, AnotherSeedNameOrIndexIsAnotherStream) {
  const std::vector<Prng> streams{{7, "session", 2}, {8, "session", 2}, {7, "session", 3},
                                  {7, "meter", 2},   {7, "", 2},        {0, "", 0}};
  std::set<uint64_t> seen;
  for (const Prng& stream : streams) {
    for (const uint64_t number : Draw(stream, 1000)) seen.insert(number);
  }
  EXPECT_EQ(seen.size(), streams.size() * 1000);
}

TEST(Prng, GivesTheSameNumbersOnEveryMachine) {
  // If this fails, every stored plan has become a different experiment.
  EXPECT_EQ(
      Draw(Prng(1, "proxy"), 3),
      (std::vector<uint64_t>{10183699095383065186U, 10136654898245414113U, 14231326191379507592U}));
}

TEST(Prng, BelowStaysBelowAndReachesEveryValue) {
  Prng random(1, "below");
  std::array<int, 7> count{};
  for (int i = 0; i < 70'000; ++i) ++count.at(random.Below(7));
  for (const int each : count) EXPECT_NEAR(each, 10'000, 500);
  EXPECT_EQ(random.Below(1), 0u);
  for (int i = 0; i < 1000; ++i)
    EXPECT_LT(random.Below((uint64_t{1} << 63) + 1), (uint64_t{1} << 63) + 1);
}

TEST(Prng, UnitIsFromZeroToBelowOne) {
  Prng random(1, "unit");
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double unit = random.Unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    sum += unit;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST(Prng, BetweenIncludesBothEnds) {
  Prng random(1, "between");
  std::set<Duration> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.Between(Duration(-1), Duration(2)));
  EXPECT_EQ(seen, (std::set<Duration>{Duration(-1), Duration(0), Duration(1), Duration(2)}));
  EXPECT_EQ(random.Between(5ms, 5ms), 5ms);
}

TEST(Prng, ExponentialHasItsMeanAndIsCutOffAtTwentyMeans) {
  Prng random(1, "exponential");
  Duration sum{};
  for (int i = 0; i < 20'000; ++i) {
    const Duration drawn = random.Exponential(1ms);
    ASSERT_GE(drawn, 0ms);
    ASSERT_LE(drawn, 20ms);
    sum += drawn;
  }
  EXPECT_NEAR(static_cast<double>(sum.count()) / 20'000, 1e6, 3e4);
  EXPECT_EQ(random.Exponential(0ms), 0ms);
}

TEST(PrngDeathTest, AnEmptyRangeIsABug) {
  EXPECT_DEATH(Prng(1, "x").Below(0), "CHECK failed: bound > 0");
  EXPECT_DEATH(Prng(1, "x").Between(2ms, 1ms), "CHECK failed: low <= high");
}

}  // namespace
}  // namespace doublehold
