// What keeps the store safe whatever becomes of the lock: no oversell in any execution with three
// clients and two faults of any kind.
#include <gtest/gtest.h>

#include <algorithm>

#include "checker/claims/data/stock.h"
#include "compose/explore/testing_explore.h"

namespace doublehold {
namespace {

std::vector<FaultForm> AllBut(std::vector<FaultForm> without) {
  std::vector<FaultForm> faults;
  for (const FaultFormEntry& entry : kFaultForms) {
    if (entry.site != FaultSite::kMasters &&
        std::ranges::find(without, entry.form) == without.end())
      faults.push_back(entry.form);
  }
  return faults;
}

// Fewer units than customers.
Searched SaleNoOversell(const char* lock, std::vector<FaultForm> faults) {
  return {.lock = lock,
          .faults = std::move(faults),
          .depth = 2,
          .more = {{"claims", "stock"}, {"workload.stock", "2"}},
          .clients = 3};
}

// More sold than was there, one order in the place of another, or one that is confirmed and not in
// the store.
int64_t Oversold(const Execution& execution) {
  const ItemCount item = CountItems(execution.history).front();
  EXPECT_TRUE(item.Final());
  return item.Oversold() + item.BelowZero() + item.Lost() + item.Missing();
}

// In how many of all executions, of which there are at least so many.
int64_t ExecutionsOversold(const Searched& searched, int64_t at_least) {
  int64_t oversold = 0;
  const int64_t all = EachExecution(
      searched, [&](const Execution& execution) { oversold += Oversold(execution) > 0 ? 1 : 0; });
  EXPECT_GE(all, at_least);
  return oversold;
}

TEST(NoOversell, OfVersion) {
  EXPECT_EQ(ExecutionsOversold(SaleNoOversell("version", AllBut({})), 5'000), 0);
}

TEST(NoOversell, OfAtomicScript) {
  EXPECT_EQ(ExecutionsOversold(SaleNoOversell("atomic-script", AllBut({})), 3'000), 0);
}

// Who is not answered tries again, and may take a second unit for one order (K36); no order has
// none.
TEST(NoOversell, OfWatch) {
  EXPECT_EQ(ExecutionsOversold(SaleNoOversell("watch", AllBut({})), 30'000), 0);
}

// With one exception: a lock's server that forgets its counter gives out a token twice, and the
// store takes both.
TEST(NoOversell, OfFencedAsLongAsNoTokenIsGivenOutTwice) {
  EXPECT_EQ(
      ExecutionsOversold(SaleNoOversell("fenced", AllBut({FaultForm::kRestartEmpty})), 50'000), 0);
  Searched forgetful = SaleNoOversell("fenced", {FaultForm::kRestartEmpty, FaultForm::kPause});
  EXPECT_GT(ExecutionsOversold(forgetful, 1), 0);
}

// The count can fail: a lock that is lost, and a store that takes everything.
TEST(NoOversell, IsSeenWhereThereIsSome) {
  Searched unguarded = SaleNoOversell("set-nx-px", {FaultForm::kPause});
  unguarded.depth = 1;
  EXPECT_GT(ExecutionsOversold(unguarded, 1), 0);
}

}  // namespace
}  // namespace doublehold
