// For tests: checks the outcome of the claim `stock` for a drawn history of sales.
#ifndef DOUBLEHOLD_CHECKER_TESTING_TESTING_STOCK_H_
#define DOUBLEHOLD_CHECKER_TESTING_TESTING_STOCK_H_

#include <gtest/gtest.h>

#include <string>

#include "checker/claims/data/stock.h"
#include "checker/testing/ascii_history.h"

namespace doublehold::testing {

struct DrawnSales {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kValid;
  int64_t count = 0;
  std::string write = "read-modify-write";
};

inline void ExpectStock(const DrawnSales& drawn) {
  const ClaimVerdict verdict = CheckStock(FromLanes(drawn.picture, {.write = drawn.write}), {});
  EXPECT_EQ(Name(verdict.outcome), Name(drawn.outcome)) << drawn.name << ": " << verdict.reason;
  EXPECT_EQ(verdict.count, drawn.count) << drawn.name << ": " << verdict.reason;
  EXPECT_EQ(verdict.violations.empty(), drawn.count == 0) << drawn.name;
}

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_CHECKER_TESTING_TESTING_STOCK_H_
