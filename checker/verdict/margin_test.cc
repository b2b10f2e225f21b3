#include "checker/verdict/margin.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "checker/claims/lock/exclusion.h"
#include "checker/claims/lock/fencing.h"
#include "checker/testing/ascii_history.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

std::vector<std::string> NearMissSentences(const Margin& margin) {
  std::vector<std::string> sentences;
  for (const NearMiss& miss : margin.nearest) sentences.push_back(miss.sentence);
  return sentences;
}

TEST(Margin, TheMarginIsTheLeastValueAndListsTheNearestMisses) {
  MarginFinder finder({.what = "gap"});
  for (const int64_t value : {7, 3, -2, 9, 0, 5, 3}) {
    finder.Add(value, value * 10, [value = value] { return "took " + std::to_string(value); });
  }
  const std::optional<Margin> margin = std::move(finder).Take();
  ASSERT_TRUE(margin.has_value());
  EXPECT_EQ(margin->value, -2);
  EXPECT_EQ(NearMissSentences(*margin), (std::vector<std::string>{"took 0", "took 3", "took 3"}));
  EXPECT_EQ(margin->nearest[1].at_ns, 30);
}

TEST(Margin, DescribesOnlyWhatItLists) {
  MarginFinder finder({.what = "gap"});
  int described = 0;
  for (const int64_t value : {1, 2, 3, 3, 4})
    finder.Add(value, 0, [&] {
      ++described;
      return "";
    });
  EXPECT_EQ(described, 3);
}

TEST(ClaimFindings, DescribesOnlyTheFirstViolationsOfAHold) {
  ClaimFindings findings("holds", {.told_of_a_hold = 2});
  int described = 0;
  for (int64_t at_ns = 0; at_ns < 5; ++at_ns) {
    const auto describe = [&] {
      ++described;
      return Violation{.first = HoldRef{.hold = 7}};
    };
    findings.Violated(at_ns, describe, 7);
  }
  EXPECT_EQ(described, 2);
}

TEST(Margin, CountsItsValuesInFourClassesForEachPowerOfTwo) {
  MarginFinder finder({.what = "gap"});
  for (const int64_t value : {-7, 0, 3, 7, 8, 9, 10, 15, 16, 19, 20, 1'000'000})
    finder.Add(value, 0, [] { return ""; });
  const Margin margin = *std::move(finder).Take();
  std::vector<std::pair<int64_t, int64_t>> counted;
  for (const HistogramClass& each : margin.histogram) counted.emplace_back(each.from, each.count);
  EXPECT_EQ(counted,
            (std::vector<std::pair<int64_t, int64_t>>{
                {0, 1}, {3, 1}, {7, 1}, {8, 2}, {10, 1}, {14, 1}, {16, 2}, {20, 1}, {917504, 1}}));
  EXPECT_EQ(margin.below_zero, 1);
}

TEST(Margin, TheLastClassHoldsTheLargestValue) {
  MarginFinder finder({.what = "gap"});
  finder.Add(std::numeric_limits<int64_t>::max());
  const Margin margin = *std::move(finder).Take();
  ASSERT_EQ(margin.histogram.size(), 1U);
  EXPECT_EQ(margin.histogram[0].from, int64_t{7} << 60);
}

TEST(Margin, WithoutValuesThereIsNoMargin) {
  EXPECT_FALSE(MarginFinder({.what = "gap"}).Take().has_value());
}

TEST(Margin, ATimeIsWrittenInTheLargestUnitThatFits) {
  EXPECT_EQ(ShortTime(7), "7 ns");
  EXPECT_EQ(ShortTime(1'000), "1.0 us");
  EXPECT_EQ(ShortTime(210'040), "210.0 us");
  EXPECT_EQ(ShortTime(-5'000'000), "-5.0 ms");
  EXPECT_EQ(ShortTime(4'103'400'000), "4.103 s");
  EXPECT_EQ(ShortTime(1'000'000'000), "1.000 s");
}

TEST(Margin, ANearMissOfExclusionNamesBothClientsAndTheTime) {
  const History history = FromLanes(R"(
      c1: A-a===R-r                          A-a=R-r
      c2:           A-a==R-r          A-a=R-r
      c3:                             A-----------------a=R-r)");
  const std::vector<Margin> margins = CheckExclusion(history, {}).margins;
  ASSERT_EQ(margins.size(), 1U);
  EXPECT_EQ(margins[0].value, 5'000'000);
  EXPECT_EQ(NearMissSentences(margins[0]),
            (std::vector<std::string>{
                "client 1 was granted item-0 at 0.037 s, 5.0 ms after client 2 released it",
                "client 2 was granted item-0 at 0.012 s, 6.0 ms after client 1 released it",
                "client 3 was granted item-0 at 0.046 s, 7.0 ms after client 1 released it"}));
}

TEST(Margin, HoldsOfOneOwnerAndSharedHoldsHaveNoGap) {
  EXPECT_TRUE(CheckExclusion(FromLanes("c1: A-a===R-r A-a=R-r"), {}).margins.empty());
  EXPECT_TRUE(CheckExclusion(FromLanes(R"(
      c1: A-b===R-r
      c2:             A-b=R-r)"),
                             {})
                  .margins.empty());
}

TEST(Margin, ALeaseHasMarginsAtReleaseAndAtGrant) {
  const History history = FromLanes(R"(
      c1: A-a======R-!-r
      c2:              A-a-----------E-e======!=R-r
      c3:              A----------------------------------------------------a!==R-r)");
  const std::vector<Margin> margins = CheckLeaseExclusion(history, {}).margins;
  ASSERT_EQ(margins.size(), 2U);
  EXPECT_EQ(margins[0].what, "least lease left at release");
  EXPECT_EQ(margins[0].value, -3'000'000);
  EXPECT_EQ(NearMissSentences(margins[0]),
            std::vector<std::string>{
                "client 1 released item-0 at 0.009 s with 2.0 ms of its lease left"});
  EXPECT_EQ(margins[1].what, "smallest validity at grant");
  EXPECT_EQ(margins[1].value, 1'000'000);
  EXPECT_EQ(margins[1].nearest[0].sentence,
            "client 3 was granted item-0 at 0.066 s with 1.0 ms of its lease left");
}

TEST(Margin, TheTokenMarginIsTheSmallestStepBetweenGrants) {
  const History history = FromLanes(R"(
      c1:   A-a===R-r                   A-a=R-r      | #3 #9
      c2:             A-a==R-r                       | #5
      c1.2:                    A-a=R-r               | #6)");
  const std::vector<Margin> margins = CheckFencing(history, {}).margins;
  ASSERT_EQ(margins.size(), 1U);
  EXPECT_EQ(margins[0].unit, "tokens");
  EXPECT_EQ(margins[0].value, 1);
  EXPECT_EQ(margins[0].nearest.size(), 3U);
  EXPECT_EQ(margins[0].nearest[0].sentence,
            "client 1, thread 2 was granted token 6 at 0.021 s, 1 above client 2's");
  const History back = FromLanes(R"(
      c1: A-a===R-r              | #3
      c2:           A-a==R-r     | #1)");
  EXPECT_EQ(CheckFencing(back, {}).margins.at(0).value, -2);
}

TEST(Margin, AGapIsMeasuredFromTheLatestRelease) {
  const std::vector<Margin> margins = CheckExclusion(FromLanes(R"(
      c1: A-a============R-r
      c2:    A-a==R-r
      c3:                    A-a=R-r)"),
                                                     {})
                                          .margins;
  ASSERT_EQ(margins.size(), 1U);
  EXPECT_EQ(NearMissSentences(margins[0]),
            std::vector<std::string>{
                "client 3 was granted item-0 at 0.021 s, 6.0 ms after client 1 released it"});
}

TEST(Margin, TheValidityAtGrantIgnoresExtensions) {
  const std::vector<Margin> margins = CheckLeaseExclusion(FromLanes(R"(
      c1: A-a==E-e=!R-r
      c2:                A-a=R-r)"),
                                                          {})
                                          .margins;
  ASSERT_EQ(margins.size(), 2U);
  EXPECT_GT(margins[1].value, 900'000'000);
}

}  // namespace
}  // namespace doublehold
