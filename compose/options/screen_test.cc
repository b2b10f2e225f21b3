#include "compose/options/screen.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(Screen, ColoursATextOnlyIfColoursAreOn) {
  EXPECT_EQ(InColor("violated", Color::kRed, false), "violated");
  EXPECT_EQ(InColor("violated", Color::kRed, true), "\x1b[31mviolated\x1b[0m");
}

TEST(Screen, RoundsTimesUpToSecondsMinutesOrTenthsOfAnHour) {
  EXPECT_EQ(RoughTime(-1), "0 s");
  EXPECT_EQ(RoughTime(0.2), "1 s");
  EXPECT_EQ(RoughTime(119), "119 s");
  EXPECT_EQ(RoughTime(121), "3 min");
  EXPECT_EQ(RoughTime(9000), "2.5 h");
}

}  // namespace
}  // namespace doublehold
