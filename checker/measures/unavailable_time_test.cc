#include "checker/measures/unavailable_time.h"

#include <gtest/gtest.h>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// The expected time in ms; a column is 1 ms. {-1, -1}: no such time.
struct UnavailableTimeCase {
  const char* what;
  const char* lanes;
  int64_t from = -1, to = -1;
};

TEST(UnavailableTime, IsTheLongestTimeInWhichAWantedKeyHadNoHolder) {
  const UnavailableTimeCase cases[] = {
      {"no client acquires", "\n      pause c1: []"},
      {"a free key is unavailable until its first acquire is granted",
       R"(
      c1:  A-a==R-r
      c2:           A--a=R-r)",
       9, 12},
      {"refusals of a held key do not count",
       R"(
      c1:  A-a==========R-r
      c2:     A-x  A-x        A-a=R-r)",
       0, 2},
      {"an acquire invoked during a hold counts from the release on",
       R"(
      c1:  A-a==R-r
      c2:     A-----------a=R-r)",
       5, 15},
      {"an acquire refused after the release counts from the release on",
       R"(
      c1:  A-a==R-r
      c2:    A-x A---------x  A-a=R-r)",
       6, 21},
      {"time counts from the first acquire of a free key",
       R"(
      c1:  A-a==R-r
      c2:             A-x  A-x  A-a=R-r)",
       11, 23},
      {"an acquire of unknown outcome counts from its invocation on",
       R"(
      c1:  A--------?
      c2:     A-x   A-x   A-a===R-r)",
       0, 17},
      {"a key becomes free at the end of the last of two holds",
       R"(
      c1:  A-a============R-r
      c2:     A-a==R-r
      c3:            A-x     A-x  A-a=R-r)",
       18, 25},
      {"an acquire invoked during two holds counts from the end of the last on",
       R"(
      c1:  A-a============R-r
      c2:     A-a==R-r
      c3:            A-----------a=R-r)",
       15, 22},
      {"without a later grant, time ends with the last acquire",
       R"(
      c1:  A-a==R-r
      c2:             A-x    A-x)",
       11, 20},
      {"the longest of two times counts",
       R"(
      c1:  A-a=R-r A-x A-a=R-r
      c2:                       A-x    A-x   A-a=R-r)",
       21, 36},
  };
  for (const UnavailableTimeCase& each : cases) {
    SCOPED_TRACE(each.what);
    const History history = FromLanes(each.lanes);
    const std::optional<UnavailableTime> longest = FindLongestUnavailableTime(Evidence(history));
    EXPECT_EQ(longest ? longest->when.from_ns / 1'000'000 : -1, each.from);
    EXPECT_EQ(longest ? longest->when.to_ns / 1'000'000 : -1, each.to);
  }
}

TEST(UnavailableTime, ARefusedAcquireOfSeveralKeysDoesNotCount) {
  History history = FromLanes(R"(
      c1:  A-a==R-r
      c2:             A-x    A-x)");
  for (Event& event : history.events) {
    const bool asks = event.op == Op::kAcquire && event.type == EventType::kInvoke;
    if (asks && event.client == 2) event.value[1] = 2;
  }
  const std::optional<UnavailableTime> longest = FindLongestUnavailableTime(Evidence(history));
  ASSERT_TRUE(longest);
  EXPECT_EQ(longest->when.to_ns, 2'000'000) << "the wait of client 1";
}

}  // namespace
}  // namespace doublehold
