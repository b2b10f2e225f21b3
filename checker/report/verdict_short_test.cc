// Tests the short text of a verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

constexpr char kShortStale[] = R"(
    c1:       A-a=g==!==========w=R-x         | 5 5>4
    c2:             A-a=gw=R-r                | 5 5>4
    pause c1:      [----------]               | 11
    final:                              *     | 4/2
    probe:                              P-p   )";

size_t Position(const std::string& text, const std::string& part) { return text.find(part); }

TEST(ShortText, BeginsWithTheVerdictAndFitsOnAScreen) {
  const RunVerdict verdict = Judge(FromLanes(kShortStale, {.claims = {"exclusion", "stock"}}));
  const std::string text = ToShortText(verdict);
  EXPECT_TRUE(text.starts_with("verdict: violated (exclusion, stock)\n")) << text;
  EXPECT_LE(std::ranges::count(text, '\n'), 24) << text;
}

TEST(ShortText, DescribesOnlyTheViolationOfTheData) {
  const std::string text =
      ToShortText(Judge(FromLanes(kShortStale, {.claims = {"exclusion", "stock"}})));
  EXPECT_NE(Position(text, "\nstock: item-0: client 1's lease ended"), std::string::npos) << text;
  EXPECT_EQ(Position(text, "\nexclusion: "), std::string::npos) << text;
  EXPECT_NE(Position(text, "cause: stopped: "), std::string::npos) << text;
  EXPECT_NE(Position(text, " 1) "), std::string::npos) << text;
}

// A library that releases by DEL without comparing the owner.
TEST(ShortText, NamesTheReleaseThatFreedTheLockOfAnother) {
  LaneOptions options{.claims = {"exclusion", "release-result", "stock"}};
  options.library = LibraryFact{"mine", "1", {"lease"}};
  const std::string text = ToShortText(Judge(FromLanes(R"(
    c1:       A-a=g==!===========w=R-r        | 5 5>4
    c2:             A-a=g==============w=R-r  | 5 5>4
    pause c1:      [----------]               | 11
    final:                                  * | 4/2
    probe:                                     P-p)",
                                                       options)));
  EXPECT_NE(Position(text, "\nstock: item-0: "), std::string::npos) << text;
  EXPECT_NE(Position(text, "\n     release-result: client 1's lease ended"), std::string::npos)
      << text;
  EXPECT_NE(Position(text, "was told that this freed its lock, which client 2 had been granted"),
            std::string::npos)
      << text;
  EXPECT_LE(std::ranges::count(text, '\n'), 24) << text;
}

TEST(ShortText, DescribesAReleaseOnce) {
  LaneOptions options{.claims = {"release-result"}};
  options.library = LibraryFact{"mine", "1", {"lease"}};
  const std::string text = ToShortText(Judge(FromLanes(R"(
    c1:       A-a====!===========R-r
    c2:             A-a===============R-r)",
                                                       options)));
  EXPECT_NE(Position(text, "\nrelease-result: item-0: client 1's lease ended"), std::string::npos)
      << text;
  EXPECT_EQ(Position(text, "\n     release-result: "), std::string::npos) << text;
}

// The cause of the violation names the release already.
TEST(ShortText, DoesNotDescribeAReleaseThatIsTheCause) {
  const std::string text =
      ToShortText(Judge(FromLanes(R"(
    c1:    A-a==!========R-f
    c2:           A-a=============R-x
    c3:                     A-a==R-r)",
                                  {.claims = {"lease-exclusion", "release"}})));
  EXPECT_NE(Position(text, "cause: foreign-release: "), std::string::npos) << text;
  EXPECT_EQ(Position(text, "\n     release: "), std::string::npos) << text;
}

TEST(ShortText, GivesOrdersAShareWithoutAnInterval) {
  const std::string text = ToShortText(Judge(FromLanes(kShortStale, {.claims = {"stock"}})));
  EXPECT_NE(Position(text, " 1 of 1, 2.5-100.0 % "), std::string::npos) << text;
  EXPECT_NE(Position(text, " 1 of 2 orders, 50.0 %\n"), std::string::npos) << text;
}

TEST(ShortText, ShowsTheMarginsOfAValidRun) {
  const std::string text = ToShortText(Judge(FromLanes(R"(
    c1:   A-a====R-r
    c2:                A-a====R-r
    probe:                         P-p)",
                                                       {.claims = {"exclusion", "liveness"}})));
  EXPECT_TRUE(text.starts_with("verdict: valid\n")) << text;
  EXPECT_NE(Position(text, "exclusion: shortest gap between two holds: "), std::string::npos)
      << text;
}

TEST(PaceText, GivesThroughputAndLatency) {
  const std::string text = PaceText(Judge(FromLanes(kShortStale, {.claims = {"exclusion"}})));
  EXPECT_TRUE(text.starts_with("throughput: ")) << text;
  EXPECT_NE(Position(text, " grants/s, "), std::string::npos) << text;
  EXPECT_NE(Position(text, "\nlatency: p50 (p99): acquire "), std::string::npos) << text;
}

}  // namespace
}  // namespace doublehold
