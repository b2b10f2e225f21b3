// The claim `stock` where a sale is tried until it succeeds: watch, version, atomic-script, fenced.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/lanes.h"
#include "checker/stock.h"

namespace doublehold {
namespace {

const std::vector<std::string> kModes{"watch", "version", "atomic-script", "fenced"};

ClaimVerdict Check(const std::string& picture, const std::string& write) {
  return CheckStock(FromLanes(picture, {.write = write}), {});
}

// K36: EXEC ran, its answer was lost, the sale was tried again.
constexpr char kTwice[] = R"(
      c1:    A-a=g=W--?==g=W-w=R-r    | 5 5>4 4 4>3
      final:                        * | 3/1)";

TEST(StockTries, AWriteThatWasDoneAndTriedAgainIsAnOrderTwice) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = Check(kTwice, write);
    EXPECT_EQ(verdict.outcome, Outcome3::kViolated) << write << ": " << verdict.reason;
    EXPECT_EQ(verdict.count, 1) << write;
    EXPECT_EQ(verdict.violations.at(0).sentence,
              "the stock fell from 5 to 3, and at most 1 sale was made: 1 sale took a unit twice, "
              "trying again after a write that was not answered")
        << write;
  }
  // Where a hold is not a sale, both may be.
  EXPECT_EQ(Check(kTwice, "read-modify-write").outcome, Outcome3::kValid);
}

TEST(StockTries, ATryThatDidNothingIsNone) {
  for (const std::string& write : kModes) {
    EXPECT_EQ(Check(R"(
      c1:    A-a=g=W--?==g=W-w=R-r    | 5 5>4 5 5>4
      final:                        * | 4/1)",
                    write)
                  .outcome,
              Outcome3::kValid)
        << write;
    EXPECT_EQ(Check(R"(
      c1:    A-a=g=W--x==g=W-x=g=W-w=R-r    | 5 5>4 4 4>3 4 4>3
      c2:      A-a=g=w=R-r                  | 5 5>4
      final:                              * | 3/2)",
                    write)
                  .outcome,
              Outcome3::kValid)
        << write;
  }
}

TEST(StockTries, AnotherSaleOfUnknownOutcomeMayHideIt) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = Check(R"(
      c1:    A-a=g=W--?==g=W-w=R-r          | 5 5>4 4 4>3
      c2:                          A-a=g=W? | 3 3>2
      final:                              * | 3/1)",
                                       write);
    EXPECT_EQ(verdict.outcome, Outcome3::kUnknown) << write << ": " << verdict.reason;
  }
}

TEST(StockTries, ASaleOfUnknownOutcomeTakesOneUnitAtMost) {
  for (const std::string& write : kModes) {
    EXPECT_EQ(Check(R"(
      c1:    A-a=g=W--?==g=W-?=R-r          | 5 5>4 4 4>3
      c2:                     A-a=g=w=R-r   | 3 3>2
      final:                              * | 2/1)",
                    write)
                  .count,
              1)
        << write;
  }
}

TEST(StockTries, TwoThatReadTheSameAreALostUpdateButInAScript) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = Check(R"(
      c1:    A-a=g=w=R-r                    | 5 5>4
      c2:      A-a=g=w=R-r                  | 5 5>4)",
                                       write);
    EXPECT_EQ(verdict.count, write == "atomic-script" ? 0 : 1) << write << ": " << verdict.reason;
  }
}

// c1's write is carried out at once and answered late: c2 has read what it left.
TEST(StockTries, ALateAnswerIsNoOverwriteWhereNoTwoReadTheSame) {
  for (const std::string& write : kModes) {
    const ClaimVerdict verdict = Check(R"(
      c4:    A-a=g=W--!-----------------x=R-x               | 5 5>4 5>4
      c1:           A-a=g=W--!---------------w=R-x          | 5 5>4
      c2:                       A-a=g=w=R-r                 | 4 4>3
      c3:                                     A-a=g=W-?=R-r | 3 3>2
      final:                                              * | 3/2)",
                                       write);
    EXPECT_EQ(verdict.outcome, Outcome3::kValid) << write << ": " << verdict.reason;
  }
}

// The write of unknown outcome may come after all, over a stock that others have sold from; not where the store refuses it.
TEST(StockTries, AStoreThatRefusesStaleWritesLeavesNothingToHide) {
  const std::string shown = R"(
      c4:    A-a=g=W--!-----------------x=R-x                      | #1 5#1 5>4#1 5>4#1
      c1:           A-a=g=W--!---------------w=R-x                 | #2 5#2 5>4#2
      c2:                       A-a=g=w=R-r                        | #3 4#3 4>3#3
      c3:                                     A-a=g=W-?=g=w=R-r    | #4 3#4 3>2#4 3#4 3>2#4
      final:                                                     * | 2/3)";
  EXPECT_EQ(Check(shown, "fenced").outcome, Outcome3::kValid) << Check(shown, "fenced").reason;
  std::string not_shown = shown;  // c3's reads show no token: the store compares on writes only
  for (size_t at = not_shown.find(" 3#4"); at != std::string::npos; at = not_shown.find(" 3#4"))
    not_shown.replace(at, 4, " 3");
  EXPECT_EQ(Check(not_shown, "fenced").outcome, Outcome3::kUnknown);
  std::string went_back = shown;  // c3's token is c2's
  for (size_t at = went_back.find("#4"); at != std::string::npos; at = went_back.find("#4"))
    went_back.replace(at, 2, "#3");
  EXPECT_EQ(Check(went_back, "fenced").outcome, Outcome3::kUnknown);
}

}  // namespace
}  // namespace doublehold
