#include "workloads/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "workloads/item_choice.h"

namespace doublehold {
namespace {

constexpr int kDraws = 200'000;

TEST(Draw, KeepsTheMeanAndTheBoundsOfItsDistribution) {
  const struct {
    Distribution distribution;
    Duration least;
    Duration most;
    double tolerance;  // relative to the mean
  } cases[] = {
      {Distribution::kUniform, 50ms, 150ms, 0.01},
      {Distribution::kFixed, 100ms, 100ms, 0},
      {Distribution::kExponential, 0ms, 2s, 0.01},
      {Distribution::kPareto, 50ms, 10s, 0.05},
  };
  for (const auto& [distribution, least, most, tolerance] : cases) {
    SCOPED_TRACE(static_cast<int>(distribution));
    Prng random(1, "draw");
    double sum_ms = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Duration drawn = Draw(distribution, 100ms, random);
      ASSERT_GE(drawn, least);
      ASSERT_LE(drawn, most);
      sum_ms += static_cast<double>(drawn.count()) / 1e6;
    }
    EXPECT_NEAR(sum_ms / kDraws, 100, 100 * tolerance);
  }
}

TEST(Draw, AParetoHasALongerTailThanAnExponential) {
  const auto beyond = [](Distribution distribution) {
    Prng random(1, "draw");
    int count = 0;
    for (int i = 0; i < kDraws; ++i) count += Draw(distribution, 1ms, random) > 12ms ? 1 : 0;
    return count;
  };
  EXPECT_GT(beyond(Distribution::kPareto), 20 * std::max(1, beyond(Distribution::kExponential)));
}

TEST(ItemChoice, FollowsZipfsLaw) {
  const struct {
    double skew;
    std::array<double, 4> shares;
  } cases[] = {
      {0, {0.25, 0.25, 0.25, 0.25}},
      {1, {0.48, 0.24, 0.16, 0.12}},
      {2, {0.7024, 0.1756, 0.0780, 0.0439}},
  };
  for (const auto& [skew, shares] : cases) {
    SCOPED_TRACE(skew);
    const ItemChoice choice(4, skew);
    Prng random(1, "choice");
    std::array<int, 4> counts{};
    for (int i = 0; i < kDraws; ++i) ++counts.at(static_cast<size_t>(choice.Draw(random)));
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(counts.at(i), shares.at(i) * kDraws, kDraws / 200.0);
  }
}

TEST(ItemChoice, EqualSeedsChooseEqually) {
  const ItemChoice choice(100, 1.2);
  Prng one(7, "choice");
  Prng other(7, "choice");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(choice.Draw(one), choice.Draw(other));
}

}  // namespace
}  // namespace doublehold
