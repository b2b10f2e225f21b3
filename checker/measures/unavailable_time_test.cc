#include "checker/measures/unavailable_time.h"

#include <gtest/gtest.h>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// The expected time, in columns of a ms; {-1, -1}: none.
struct UnheldCase {
  const char* what;
  const char* lanes;
  int64_t from = -1, to = -1;
};

TEST(Unheld, IsTheLongestTimeInWhichAWantedKeyHadNoHolder) {
  const UnheldCase cases[] = {
      {"nobody asked for one", "\n      pause c1: []"},
      {"what is granted at once is missed for as long as it is asked for",
       R"(
      c1:  A-a==R-r
      c2:           A--a=R-r)",
       9, 12},
      {"it is had while it is refused",
       R"(
      c1:  A-a==========R-r
      c2:     A-x  A-x        A-a=R-r)",
       0, 2},
      {"who asked before it was free waits for it since then",
       R"(
      c1:  A-a==R-r
      c2:     A-----------a=R-r)",
       5, 15},
      {"and so does one that is refused after",
       R"(
      c1:  A-a==R-r
      c2:    A-x A---------x  A-a=R-r)",
       6, 21},
      {"from the first that asked when it was free",
       R"(
      c1:  A-a==R-r
      c2:             A-x  A-x  A-a=R-r)",
       11, 23},
      {"whether the first was granted nobody knows: from its asking on",
       R"(
      c1:  A--------?
      c2:     A-x   A-x   A-a===R-r)",
       0, 17},
      {"two have it, and both must be gone",
       R"(
      c1:  A-a============R-r
      c2:     A-a==R-r
      c3:            A-x     A-x  A-a=R-r)",
       18, 25},
      {"nobody has it any more",
       R"(
      c1:  A-a==R-r
      c2:             A-x    A-x)",
       11, 20},
      {"the longest of two",
       R"(
      c1:  A-a=R-r A-x A-a=R-r
      c2:                       A-x    A-x   A-a=R-r)",
       21, 36},
  };
  for (const UnheldCase& each : cases) {
    SCOPED_TRACE(each.what);
    const History history = FromLanes(each.lanes);
    const std::optional<Unheld> longest = LongestUnheld(Evidence(history));
    EXPECT_EQ(longest ? longest->when.from_ns / 1'000'000 : -1, each.from);
    EXPECT_EQ(longest ? longest->when.to_ns / 1'000'000 : -1, each.to);
  }
}

}  // namespace
}  // namespace doublehold
