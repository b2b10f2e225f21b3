// Tests the arithmetic of the claim `stock` at its limits, and with missing records.
#include <gtest/gtest.h>

#include "checker/claims/data/stock.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ItemCount MakeItemCount(int64_t initial, int64_t final_stock, int64_t final_orders) {
  return {.initial = initial,
          .final_stock = final_stock,
          .final_orders = final_orders,
          .lowest = final_stock};
}

TEST(StockEnds, SoldLeastCountsCertainSalesAndSoldMostCountsPossibleSales) {
  ItemCount item = MakeItemCount(5, 3, 1);
  item.orders = 1;
  item.writes = 2;
  EXPECT_EQ(item.SoldLeast(), 2);
  EXPECT_EQ(item.SoldMost(), 2);
  item.unknown_orders = 3;
  EXPECT_EQ(item.SoldMost(), 4);
  item.unknown_writes = 3;
  EXPECT_EQ(item.SoldMost(), 5);
  EXPECT_EQ(item.SoldLeast(), 2);
}

TEST(StockEnds, EachKindOfErrorCountsFromOneUnitOn) {
  ItemCount item = MakeItemCount(5, 3, 2);
  item.orders = item.writes = 2;
  EXPECT_EQ(item.Wrong(), 0);
  item.final_stock = 4;
  EXPECT_EQ(item.Lost(), 1);
  item.final_stock = 2;
  EXPECT_EQ(item.Vanished(), 1);
  item.final_stock = 3;
  item.final_orders = 1;
  EXPECT_EQ(item.Missing(), 1);
  EXPECT_EQ(item.Doubled(), 0);
  item.final_orders = 3;
  EXPECT_EQ(item.Doubled(), 1);
  EXPECT_EQ(item.Missing(), 0);
  item.orders = 5;
  EXPECT_EQ(item.Oversold(), 0);
  item.orders = 6;
  EXPECT_EQ(item.Oversold(), 1);
  EXPECT_EQ(item.BelowZero(), 0);
  item.lowest = -1;
  EXPECT_EQ(item.BelowZero(), 1);
}

TEST(StockEnds, LostRecordsMayExplainAnySurplus) {
  ItemCount item = MakeItemCount(5, 2, 3);
  item.orders = item.writes = 1;
  EXPECT_EQ(item.Vanished(), 2);
  EXPECT_EQ(item.Doubled(), 2);
  item.complete = false;
  EXPECT_EQ(item.Vanished(), 0);
  EXPECT_EQ(item.Doubled(), 0);
}

TEST(StockEnds, ARetriedSaleMayHaveTakenTwoUnitsIfTheStockFellFurther) {
  ItemCount item = MakeItemCount(5, 4, 1);
  item.sales = item.perhaps_sales = item.tried_again = 1;
  EXPECT_FALSE(item.PerhapsTwice());
  item.final_stock = 3;
  EXPECT_TRUE(item.PerhapsTwice());
  item.tried_again = 0;
  EXPECT_FALSE(item.PerhapsTwice());
}

TEST(StockEnds, AnAnswerWithALostInvocationCountsAsAWholeCall) {
  for (const char* picture :
       {"c1: A-a=g=W-u=R-r | 5 5>4", "c1: A-a=g=W-x=R-r | 5 5>4", "c1: A-a=g=W-?=R-r | 5 5>4"}) {
    const History whole = FromLanes(picture);
    History cut = whole;
    std::erase_if(cut.events, [](const Event& event) {
      return event.op == Op::kWrite && event.type == EventType::kInvoke;
    });
    EXPECT_LT(cut.events.size(), whole.events.size());
    EXPECT_EQ(CountItems(cut).at(0).writes, CountItems(whole).at(0).writes) << picture;
    EXPECT_EQ(CountItems(cut).at(0).unknown_writes, CountItems(whole).at(0).unknown_writes)
        << picture;
  }
}

TEST(StockEnds, AWriteInAnUnknownModeCountsAsAWriteOfUnknownOutcome) {
  const History history = FromLanes("c1: A-a=g=u=R-r | 5 5>4", {.write = "as drawn"});
  EXPECT_EQ(CountItems(history).at(0).writes, 0);
  EXPECT_EQ(CountItems(history).at(0).unknown_writes, 1);
}

TEST(StockEnds, SeveralWritesUnderOneHoldAreAtMostOneSale) {
  const auto count = [](const char* picture) {
    return CountItems(FromLanes(picture, {.write = "watch"})).at(0);
  };
  const ItemCount twice = count("c1: A-a=g=W-u=W-u=R-r | 5 5>4 4>3");
  EXPECT_EQ(twice.sales, 1);
  EXPECT_EQ(twice.perhaps_sales, 1);
  EXPECT_EQ(twice.tried_again, 1);
  const ItemCount once = count("c1: A-a=g=W-x=W-u=R-r | 5 5>4 5>4");
  EXPECT_EQ(once.sales, 1);
  EXPECT_EQ(once.tried_again, 0);
  EXPECT_EQ(count("c1: A-a=g=W-x=R-r | 5 5>4").perhaps_sales, 0);
}

TEST(StockEnds, TheLowestStockIsThatAfterAWrite) {
  const History history = FromLanes("c1: A-a=u=R-r | 1>-1", {.write = "check-then-decr"});
  EXPECT_EQ(CountItems(history).at(0).lowest, -1);
}

TEST(StockEnds, OnlyTheWritesOfClientsAreSales) {
  History history = FromLanes("c1: A-a=g=w=R-r | 5 5>4");
  for (Event& event : history.events) event.client = kReferee;
  EXPECT_EQ(CountItems(history).at(0).SoldMost(), 0);
}

// c1's late write has ended when c2 and c3 acquire, so it does not explain their errors.
TEST(StockEnds, AWriteThatTheMachineDelayedDoesNotExplainLaterErrors) {
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c1:         A-a=g=!====w=R-x                               | 5 5>4
      machine c1:      (----)
      c2:                            A-a=g======w=R-r            | 4 4>3
      c3:                              A-a=g======w=R-r          | 4 4>3
      final:                                             *       | 3/3)"),
                                          {});
  EXPECT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
  EXPECT_EQ(verdict.count, 1);
}

// A write of one item does not bring back orders that another item lost.
TEST(StockEnds, AWriteExplainsOnlyTheErrorsOfItsOwnItem) {
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c1 item-0:    A-a=g========w=R-r                                      | 5 5>4
      c2 item-0:      A-a=g=w=R-r                                           | 5 5>4
      c3 item-0:                        A-a=g========w=R-r                  | 4 4>3
      c4 item-0:                          A-a=g=w=R-r                       | 4 4>3
      c5 item-1:                                             A-a=w=R-r      | 3>2
      final item-0:                                                     *   | 3/4
      final item-1:                                                     *   | 2/1)"),
                                          {});
  EXPECT_EQ(verdict.count, 4);  // two orders lost, two units vanished
  ASSERT_EQ(verdict.violations.size(), 3U);
  EXPECT_EQ(verdict.violations[0].key, "item-0");
  EXPECT_EQ(verdict.violations[1].key, "item-0");
  EXPECT_EQ(verdict.violations[2].key, "item-1");
}

}  // namespace
}  // namespace doublehold
