// Tests that some stores never oversell even when the lock fails: no execution with three clients
// and two faults of any kind oversells.
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

// A sale with fewer units in stock than customers.
Searched SaleNoOversell(const char* lock, std::vector<FaultForm> faults) {
  return {.lock = lock,
          .faults = std::move(faults),
          .depth = 2,
          .more = {{"claims", "stock"}, {"workload.stock", "2"}},
          .clients = 3};
}

// Returns the number of oversold units, overwritten orders, and confirmed orders that the store
// does not have.
int64_t Oversold(const Execution& execution) {
  const ItemCount item = CountItems(execution.history).front();
  EXPECT_TRUE(item.Final());
  return item.Oversold() + item.BelowZero() + item.Lost() + item.Missing();
}

// Returns the number of executions that oversell. Expects at least `at_least` executions.
int64_t ExecutionsOversold(const Searched& searched, int64_t at_least) {
  int64_t oversold = 0;
  const int64_t all = EachExecution(
      searched, [&](const Execution& execution) { oversold += Oversold(execution) > 0 ? 1 : 0; });
  EXPECT_GE(all, at_least);
  return oversold;
}

TEST(NoOversell, StoreWithVersions) {
  EXPECT_EQ(ExecutionsOversold(SaleNoOversell("version", AllBut({})), 5'000), 0);
}

TEST(NoOversell, StoreWithAtomicScript) {
  EXPECT_EQ(ExecutionsOversold(SaleNoOversell("atomic-script", AllBut({})), 3'000), 0);
}

// A client whose request is not answered retries, and may take a second unit for one order (K36).
// But every confirmed order has a unit.
TEST(NoOversell, StoreWithWatch) {
  EXPECT_EQ(ExecutionsOversold(SaleNoOversell("watch", AllBut({})), 30'000), 0);
}

// There is one exception: a lock node that loses its counter issues a token twice, and the store
// accepts both writes.
TEST(NoOversell, FencedStoreUnlessATokenIsIssuedTwice) {
  EXPECT_EQ(
      ExecutionsOversold(SaleNoOversell("fenced", AllBut({FaultForm::kRestartEmpty})), 50'000), 0);
  Searched forgetful = SaleNoOversell("fenced", {FaultForm::kRestartEmpty, FaultForm::kPause});
  EXPECT_GT(ExecutionsOversold(forgetful, 1), 0);
}

// Control: with a store that accepts every write, a lost lock oversells. So the expectations above
// can fail.
TEST(NoOversell, IsDetectedWithoutAGuard) {
  Searched unguarded = SaleNoOversell("set-nx-px", {FaultForm::kPause});
  unguarded.depth = 1;
  EXPECT_GT(ExecutionsOversold(unguarded, 1), 0);
}

}  // namespace
}  // namespace doublehold
