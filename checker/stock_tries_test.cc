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

}  // namespace
}  // namespace doublehold
