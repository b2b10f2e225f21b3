#include "compose/cluster/combined_skew.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

constexpr MonoTime kStart{std::chrono::seconds(100)};

TEST(ClockSum, OffsetsAddUpAndAreRemovedOneByOne) {
  ClockSum sum;
  sum.Add(1, {.offset = 2s}, kStart);
  sum.Add(2, {.offset = -500ms}, kStart + 1s);
  EXPECT_EQ(sum.At(kStart + 2s).offset, 1500ms);
  sum.Remove(1);
  EXPECT_EQ(sum.At(kStart + 3s).offset, -500ms) << "the one that is left is as it was";
  sum.Remove(2);
  EXPECT_TRUE(sum.empty());
  EXPECT_EQ(sum.At(kStart + 4s).offset, Duration{});
}

TEST(ClockSum, ADriftContinuesUnderAJumpAndEndsWithItsRemoval) {
  ClockSum sum;
  sum.Add(1, {.rate = 1.5}, kStart);
  sum.Add(2, {.offset = 3s}, kStart + 2s);
  EXPECT_EQ(sum.At(kStart + 2s).offset, 4s);
  EXPECT_EQ(sum.At(kStart + 2s).rate, 1.5);
  sum.Remove(2);
  EXPECT_EQ(sum.At(kStart + 4s).offset, 2s);
  sum.Add(3, {.rate = 2.0}, kStart + 4s);
  EXPECT_EQ(sum.At(kStart + 4s).rate, 2.5);
  sum.Remove(1);
  EXPECT_EQ(sum.At(kStart + 6s).offset, 2s);
}

TEST(ClockSum, DriftsThatWouldTurnAClockBackAreLimited) {
  ClockSum sum;
  sum.Add(1, {.rate = 0.4}, kStart);
  sum.Add(2, {.rate = 0.3}, kStart);
  EXPECT_GT(sum.At(kStart).rate, 0);
}

TEST(ClockSum, TheLatestStrobeIsApplied) {
  ClockSum sum;
  sum.Add(1, {.swing = 1s, .period = 10ms}, kStart);
  sum.Add(2, {.swing = 2s, .period = 20ms}, kStart);
  EXPECT_EQ(sum.At(kStart).swing, 2s);
  sum.Remove(2);
  EXPECT_EQ(sum.At(kStart).period, 10ms);
}

TEST(ClockSum, AnObservationIsSplitAmongTheSkews) {
  ClockSum sum;
  sum.Add(1, {.offset = 2s}, kStart);
  EXPECT_EQ(sum.SeenOf(1, kStart), std::nullopt);
  sum.Add(2, {.rate = 1.5}, kStart);
  sum.Saw(kStart + 2s, 3001ms);
  EXPECT_EQ(sum.SeenOf(1, kStart + 2s), 2001ms);
  EXPECT_EQ(sum.SeenOf(2, kStart + 2s), 1001ms);
  EXPECT_EQ(sum.SeenOf(2, kStart + 4s), 2001ms) << "a drift is counted on";
  EXPECT_FALSE(sum.WasNotMoved(1));
}

TEST(ClockSum, AStrobeIsObservedAtItsLargestOffset) {
  ClockSum sum;
  sum.Add(1, {.offset = 2s}, kStart);
  sum.Add(2, {.swing = -700ms, .period = 10ms}, kStart);
  sum.Saw(kStart + 1ms, 1301ms);
  EXPECT_EQ(sum.SeenOf(1, kStart + 1ms), 2001ms);
  sum.Saw(kStart + 12ms, 2002ms);
  EXPECT_EQ(sum.SeenOf(1, kStart + 12ms), 2002ms);
  EXPECT_EQ(sum.SeenOf(2, kStart + 12ms), -699ms);
}

TEST(ClockSum, DetectsAProcessThatReadsAnotherClock) {
  ClockSum sum;
  sum.Add(1, {.offset = 2s}, kStart);
  sum.Saw(kStart + 1s, 1us);
  EXPECT_TRUE(sum.WasNotMoved(1));
  sum.Add(2, {.offset = 2s}, kStart + 2s);
  sum.Saw(kStart + 1s, 2s);
  EXPECT_FALSE(sum.WasNotMoved(2)) << "seen before it was moved is not seen";
}

}  // namespace
}  // namespace doublehold
