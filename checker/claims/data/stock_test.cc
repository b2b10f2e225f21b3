#include "checker/claims/data/stock.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"
#include "checker/testing/testing_stock.h"
#include "lib/base/prng.h"

namespace doublehold {
namespace {

using testing::ExpectStock;

constexpr Outcome kStockUnknown = Outcome::kUnknown;
constexpr Outcome kStockViolated = Outcome::kViolated;

TEST(Stock, IsValidWhenTheStockFellByOneForEachOrder) {
  ExpectStock({.name = "two sales", .picture = R"(
      c1:    A-a=g=w=R-r            | 5 5>4
      c2:               A-a=g=w=R-r | 4 4>3
      final:                      * | 3/2)"});
  ExpectStock({.name = "overlapping holds that did no harm", .picture = R"(
      c1:    A-a=g=w==========R-r   | 5 5>4
      c2:              A-a=g=w=R-r  | 4 4>3
      final:                      * | 3/2)"});
  ExpectStock({.name = "one sale of each item", .picture = R"(
      c1:           A-a=g=w=R-r     | 5 5>4
      c2 item-1:    A-a=g=w=R-r     | 5 5>4
      final:                     *  | 4/1
      final item-1:              *  | 4/1)"});
}

TEST(Stock, ReportsItsArithmetic) {
  EXPECT_EQ(CheckStock(FromLanes(R"(
      c1:    A-a=g=w=R-r              | 5 5>4
      c2:               A-a=g=W=?=R-r | 4 4>3
      final:                        * | 4/1)"),
                       {})
                .reason,
            "1 confirmed order; the stock fell by 1 in all, with 1 sale of unknown outcome");
}

TEST(Stock, AWriteOverAStockThatWasNotReadIsALostUpdate) {
  ExpectStock({.name = "one late write",
               .picture = R"(
      c1:    A-a=g=========!===w=R-r | 5 5>4
      c2:              A-a=g=w=R-r   | 5 5>4
      final:                       * | 4/2)",
               .outcome = kStockViolated,
               .count = 1});
  ExpectStock({.name = "a late write over three sales",
               .picture = R"(
      c1:    A-a=g=====================w=R-r            | 5 5>4
      c2:         A-a=g=w=R-r                           | 5 5>4
      c3:               A-a=g=w=R-r                     | 4 4>3
      c4:                      A-a=g=w=R-r              | 3 3>2
      final:                                *           | 4/4)",
               .outcome = kStockViolated,
               .count = 3});
  ExpectStock({.name = "a late write without a final stock",
               .picture = R"(
      c1:    A-a=g=========!===w=R-r | 5 5>4
      c2:              A-a=g=w=R-r   | 5 5>4)",
               .outcome = kStockViolated,
               .count = 1});
  ExpectStock({.name = "a late write of unknown outcome over a confirmed one",
               .picture = R"(
      c1:    A-a=g=W=======!===?=R-r | 5 5>4
      c2:              A-a=g=w=R-r   | 5 5>4
      c3:            A-a=g=w=R-r     | 4 4>3
      final:                       * | 4/2)",
               .outcome = kStockViolated,
               .count = 1});
}

TEST(Stock, WritesOfUnknownOutcomeAllowEitherFinalStock) {
  for (const std::string left : {"3", "4"}) {
    ExpectStock({.name = "the write took effect or not, final stock " + left, .picture = R"(
      c1:    A-a=g=W--?=R-r              | 5 5>4
      c2:                   A-a=g=w=R-r  | 5 5>4
      final:                           * | )" + left + "/1"});
  }
  ExpectStock({.name = "a client killed during its write", .picture = R"(
      c1:    A-a=g=W                     | 5 5>4
      c2:                   A-a=g=w=R-r  | 4 4>3
      final:                           * | 3/1)"});
  ExpectStock({.name = "a client killed between its write and its order", .picture = R"(
      c1:    A-a=g=u                     | 5 5>4
      c2:                   A-a=g=w=R-r  | 4 4>3
      final:                           * | 3/1)"});
  ExpectStock({.name = "the stock fell by more than the unknown write explains",
               .picture = R"(
      c1:    A-a=g=W--?=R-r              | 5 5>4
      c2:                   A-a=g=w=R-r  | 4 4>3
      final:                           * | 2/1)",
               .outcome = kStockViolated,
               .count = 1});
  ExpectStock({.name = "a write that certainly failed",
               .picture = R"(
      c1:    A-a=g=W--x=R-r              | 5 5>4
      c2:                   A-a=g=w=R-r  | 4 4>3
      final:                           * | 3/1)",
               .outcome = kStockViolated,
               .count = 1});
  ExpectStock({.name = "a write without its order, overwritten by the next",
               .picture = R"(
      c1:    A-a=g=u                     | 5 5>4
      c2:                   A-a=g=w=R-r  | 5 5>4
      final:                           * | 4/1)",
               .outcome = kStockViolated,
               .count = 1});
}

TEST(Stock, CheckThenDecrementOversellsWithoutLosingUpdates) {
  const std::string write = "check-then-decr";
  ExpectStock({.name = "two sales after the same read, with enough stock",
               .picture = R"(
      c1:    A-a=g=========!===w=R-r | 5 5>3
      c2:              A-a=g=w=R-r   | 5 5>4
      final:                       * | 3/2)",
               .write = write});
  ExpectStock({.name = "two sales of the last unit",
               .picture = R"(
      c1:    A-a=g=========!===w=R-r   | 1 1>-1
      c2:              A-a=g=w=R-r     | 1 1>0
      c3:    A-a=ww=wwR-r              | 5>4 4>3 3>2 2>1
      final:                         * | -1/6)",
               .outcome = kStockViolated,
               .count = 1,
               .write = write});
  ExpectStock({.name = "the stock fell by less than the orders",
               .picture = R"(
      c1:    A-a=g=w=R-r               | 5 5>4
      c2:              A-a=g=w=R-r     | 4 4>3
      final:                         * | 4/2)",
               .outcome = kStockViolated,
               .count = 1,
               .write = write});
}

TEST(Stock, AWriteThatTookEffectCountsEvenWithoutAConfirmedOrder) {
  ExpectStock({.name = "a client killed before its order, whose decrement was undone",
               .picture = R"(
      c1:    A-a=g=u                   | 5 5>4
      c2:              A-a=g=w=R-r     | 4 4>3
      final:                         * | 4/1)",
               .outcome = kStockViolated,
               .count = 1,
               .write = "check-then-decr"});
}

TEST(Stock, AScriptIsJudgedByItsArithmeticAlone) {
  ExpectStock({.name = "two sales after the same read",
               .picture = R"(
      c1:    A-a=g=========!===w=R-r | 5 5>4
      c2:              A-a=g=w=R-r   | 5 5>4
      final:                       * | 3/2)",
               .write = "atomic-script"});
  ExpectStock({.name = "the stock fell by less than the orders",
               .picture = R"(
      c1:    A-a=g=w=R-r             | 5 5>4
      c2:              A-a=g=w=R-r   | 4 4>3
      final:                       * | 4/2)",
               .outcome = kStockViolated,
               .count = 1,
               .write = "atomic-script"});
}

TEST(Stock, ASaleInAnUnknownModeMayTakeSeveralWrites) {
  ExpectStock({.name = "two writes for one order",
               .picture = R"(
      c1:    A-a=g=u=w=R-r           | 5 5>5 5>4
      final:                       * | 4/1)",
               .write = "in-some-new-way"});
}

TEST(Stock, TheStoreMustHoldTheOrdersThatWereConfirmed) {
  ExpectStock({.name = "one order is missing",
               .picture = R"(
      c1:    A-a=g=w=R-r             | 5 5>4
      c2:              A-a=g=w=R-r   | 4 4>3
      final:                       * | 3/1)",
               .outcome = kStockViolated,
               .count = 1});
  ExpectStock({.name = "one order is stored twice",
               .picture = R"(
      c1:    A-a=g=w=R-r             | 5 5>4
      c2:              A-a=g=w=R-r   | 4 4>3
      final:                       * | 3/3)",
               .outcome = kStockViolated,
               .count = 1});
  ExpectStock({.name = "one more order has an unknown outcome", .picture = R"(
      c1:    A-a=g=w=R-r             | 5 5>4
      c2:              A-a=g=W=?=R-r | 4 4>3
      final:                       * | 3/2)"});
}

TEST(Stock, LostRecordsNeverMakeAViolation) {
  ExpectStock({.name = "a sale without its record", .picture = R"(
      c1:      A-a=g=w=R-r           | 5 5>4
      lost c1:             *
      final:                       * | 2/3)"});
  ExpectStock({.name = "a missing order despite lost records",
               .picture = R"(
      c1:      A-a=g=w=R-r           | 5 5>4
      lost c1:             *
      final:                       * | 5/0)",
               .outcome = kStockViolated,
               .count = 1});
}

TEST(Stock, AnAnswerWithoutItsInvocationIsNotCountedTwice) {
  History history = FromLanes(R"(
      c1:    A-a=g=w=R-r             | 5 5>4
      c2:              A-a=g=w=R-r   | 4 4>3
      final:                       * | 3/2)");
  std::erase_if(history.events, [](const Event& event) {
    return event.op == Op::kWrite && event.type == EventType::kInvoke;
  });
  const ItemCount item = CountItems(history).at(0);
  EXPECT_EQ(item.writes, 2);
  EXPECT_EQ(item.unknown_writes, 0);
  EXPECT_EQ(CheckStock(history, {}).outcome, Outcome::kValid);
}

TEST(Stock, IsUnknownWithoutAFinalStockOrOrders) {
  ExpectStock(
      {.name = "no final stock", .picture = "c1: A-a=g=w=R-r | 5 5>4", .outcome = kStockUnknown});
  ExpectStock({.name = "no order",
               .picture = "c1:    A-a=g=R-r | 5\nfinal:            * | 5/0",
               .outcome = kStockUnknown});
  ExpectStock({.name = "a sale after the final count",
               .picture = R"(
      c1:    A-a=g=w=R-r             | 5 5>4
      c2:              A-a=g=w=R-r   | 4 4>3
      final:              *          | 4/1)",
               .outcome = kStockUnknown});
}

TEST(Stock, NeverCountsMoreOrdersThanWereLost) {
  Prng prng(1, "stock");
  int64_t violated = 0;
  for (int round = 0; round < 3'000; ++round) {
    constexpr int64_t kStock = 8;
    History history{.facts = {.write = "read-modify-write",
                              .lease = 10ms,
                              .clients = 3,
                              .initial_stock = kStock,
                              .keys = {"item-0"}},
                    .events = {}};
    struct Client {
      int phase = 0;  // the next step: 0 read, 1 write, 2 receive the answer
      int64_t read = 0;
    };
    std::array<Client, 3> clients;
    int64_t stock = kStock, applied = 0, confirmed = 0, unknown = 0, now = 0;
    const auto record = [&](int32_t client, Op op, EventType type, int64_t read) {
      history.events.push_back(
          {.at_ns = ++now, .client = client, .op = op, .type = type, .value = {read, read - 1}});
    };
    const bool in_turn = prng.Below(2) == 0;
    for (int step = 0; step < 20; ++step) {
      auto who = static_cast<size_t>(prng.Below(3));
      for (size_t i = 0; i < 3 && in_turn; ++i) who = clients[i].phase != 0 ? i : who;
      Client& client = clients[who];
      const auto number = static_cast<int32_t>(who + 1);
      if (client.phase == 0 && stock > 0) {
        client = {.phase = 1, .read = stock};
      } else if (client.phase == 1) {
        record(number, Op::kWrite, EventType::kInvoke, client.read);
        const uint64_t outcome = prng.Below(10);
        if (outcome != 0) stock = client.read - 1;
        applied += outcome != 0 ? 1 : 0;
        client.phase = outcome <= 1 ? 0 : 2;
        unknown += outcome <= 1 ? 1 : 0;
        if (outcome <= 1) record(number, Op::kWrite, EventType::kInfo, client.read);
      } else if (client.phase == 2) {
        record(number, Op::kWrite, EventType::kOk, client.read);
        record(number, Op::kOrder, EventType::kInvoke, client.read);
        record(number, Op::kOrder, EventType::kOk, client.read);
        ++confirmed;
        client.phase = 0;
      }
    }
    history.events.push_back(
        {.at_ns = ++now, .op = Op::kFinal, .type = EventType::kOk, .value = {stock, confirmed}});
    const int64_t lost = applied - (kStock - stock);
    const ClaimVerdict verdict = CheckStock(history, {});
    ASSERT_LE(verdict.count, std::max<int64_t>(lost, 0)) << "round " << round;
    if (unknown == 0 && clients[0].phase + clients[1].phase + clients[2].phase == 0 &&
        confirmed > 0) {
      ASSERT_EQ(verdict.count, lost) << "round " << round;
    }
    violated += verdict.count > 0 ? 1 : 0;
  }
  EXPECT_GT(violated, 300);
}

}  // namespace
}  // namespace doublehold
