#include "checker/claims/data/write_order.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace doublehold {
namespace {

// Returns the answer to a write of client `by`, which had read `from` and wrote `to`.
Event MakeWrite(int32_t by, int64_t from, int64_t to, int64_t at_ns) {
  return {.at_ns = at_ns,
          .hold = static_cast<uint64_t>(by) * 100,
          .client = by,
          .op = Op::kWrite,
          .type = EventType::kOk,
          .value = {from, to}};
}

struct WriteOrderDrawn {
  int32_t by;
  int64_t from, to;
  int64_t sent_ns, answered_ns;
};

// Confirms the writes in this order. A final read then returns `end`.
WriteOrder ReplayWrites(int64_t initial, const std::vector<WriteOrderDrawn>& drawn, int64_t end) {
  WriteOrder order(initial);
  for (const WriteOrderDrawn& one : drawn) {
    order.Invoke(MakeWrite(one.by, one.from, one.to, one.sent_ns));
    order.Confirm(MakeWrite(one.by, one.from, one.to, one.answered_ns), std::nullopt);
  }
  order.End(end, 1000);
  return order;
}

// The client of each overwrite, and the number of orders that this overwrite lost.
using Costs = std::vector<std::pair<int32_t, int64_t>>;
Costs NetCosts(const WriteOrder& order) {
  Costs costs;
  for (const Overwrite& one : order.overwrites()) {
    if (!one.undone) costs.emplace_back(one.write.client, one.Cost());
  }
  return costs;
}

TEST(WriteOrder, ALaterWriteFirstBringsBackTheOrdersOfTheLatestOverwrite) {
  const std::vector<WriteOrderDrawn> sold{{1, 9, 8, 1, 2}, {1, 8, 7, 3, 4}, {1, 7, 6, 5, 6}};
  std::vector<WriteOrderDrawn> lost = sold;
  lost.push_back({2, 9, 8, 7, 8});    // over 6: lost 3
  lost.push_back({3, 10, 9, 9, 10});  // over 8: lost 2
  EXPECT_EQ(NetCosts(ReplayWrites(9, lost, 9)), (Costs{{2, 3}, {3, 2}}));
  std::vector<WriteOrderDrawn> some = lost;
  some.push_back({4, 8, 7, 11, 12});  // over 9: brought back 1
  EXPECT_EQ(NetCosts(ReplayWrites(9, some, 7)), (Costs{{2, 3}, {3, 1}, {4, 0}}));
  std::vector<WriteOrderDrawn> of_both = lost;
  of_both.push_back({4, 6, 5, 11, 12});  // over 9: brought back 3
  EXPECT_EQ(NetCosts(ReplayWrites(9, of_both, 5)), (Costs{{2, 2}, {3, 0}, {4, 0}}));
  std::vector<WriteOrderDrawn> more = lost;
  more.push_back({4, 2, 1, 11, 12});  // over 9: 7 units less, and only 5 orders to bring back
  more.push_back({5, 3, 2, 13, 14});  // over 1: lost 2
  more.push_back({6, 1, 0, 15, 16});  // over 2: brought back 1
  EXPECT_EQ(NetCosts(ReplayWrites(9, more, 0)), (Costs{{2, 0}, {3, 0}, {4, -2}, {5, 1}, {6, 0}}));
}

// c3's write took effect after c4's concurrent write. So c4, not c3, brought back the orders that
// c2 had lost, and c3 lost orders itself.
TEST(WriteOrder, OrdersThatAMovedWriteBroughtBackAreLostAgain) {
  const std::vector<WriteOrderDrawn> drawn{
      {1, 9, 8, 1, 2},  {1, 8, 7, 3, 4},  {1, 7, 6, 5, 6}, {2, 9, 8, 7, 8},  // over 6: lost 3
      {3, 5, 4, 9, 13}, {4, 4, 3, 10, 14}};  // c3 over 8: 3 brought back, c4 over 4
  EXPECT_EQ(NetCosts(ReplayWrites(9, drawn, 3)), (Costs{{2, 0}, {3, 0}}));
  EXPECT_EQ(NetCosts(ReplayWrites(9, drawn, 4)), (Costs{{2, 0}, {4, -1}, {3, 2}}));
}

// c3 read c2's value, and the final read returned c1's. So the last writes were first c2's and c3's,
// then c1's.
TEST(WriteOrder, SeveralWritesMayBeMoved) {
  const std::vector<WriteOrderDrawn> drawn{
      {1, 9, 8, 1, 50}, {2, 8, 7, 2, 51}, {4, 7, 6, 3, 52}, {3, 7, 6, 40, 53}};
  EXPECT_EQ(NetCosts(ReplayWrites(9, drawn, 8)), (Costs{{4, -2}, {2, 2}, {1, 3}}));
}

// c1's answer came late. But c3 had read c1's value before c3 invoked its own write, so c3's write
// came after c1's. So c2 overwrote c3's value, and c1 overwrote nothing.
TEST(WriteOrder, AWriteIsNotMovedBehindAWriteThatHadReadItsValue) {
  const auto read = [](int32_t by, int64_t stock, int64_t at_ns) {
    Event event = MakeWrite(by, stock, 0, at_ns);
    event.op = Op::kRead;
    return event;
  };
  WriteOrder order(2);
  order.Invoke(MakeWrite(1, 2, 1, 50));
  order.Invoke(MakeWrite(3, 1, 0, 920));
  order.Confirm(MakeWrite(1, 2, 1, 950), std::nullopt);
  order.Confirm(MakeWrite(3, 1, 0, 1000), read(3, 1, 911));
  order.Invoke(MakeWrite(2, 1, 0, 1510));
  order.Confirm(MakeWrite(2, 1, 0, 1520), read(2, 1, 461));
  order.End(0, 2000);
  EXPECT_EQ(NetCosts(order), (Costs{{2, 1}}));
}

TEST(WriteOrder, AWriteIsIdentifiedByItsHoldAndItsSession) {
  WriteOrder order(9);
  order.Invoke(MakeWrite(1, 9, 8, 1));  // never answered
  Event second = MakeWrite(1, 9, 8, 5);
  second.hold = 101;
  order.Invoke(second);
  second.at_ns = 7;
  EXPECT_EQ(order.InvokedNs(second), 5);
}

// c1 writes 5 twice, without an answer, and both writes are read. The late answer to the second
// write does not confirm the first one.
TEST(WriteOrder, ALateAnswerConfirmsOnlyTheWriteOfItsHold) {
  WriteOrder order(6);
  for (const auto& [hold, at_ns] : {std::pair{100U, 5}, {101U, 9}}) {
    order.Confirm(MakeWrite(2, 6, 5, at_ns - 4), std::nullopt);
    order.Confirm(MakeWrite(2, 5, 4, at_ns - 3), std::nullopt);
    Event unanswered = MakeWrite(1, 6, 5, at_ns - 2);
    unanswered.hold = hold;
    order.Invoke(unanswered);
    order.Confirm(MakeWrite(3, 5, 4, at_ns), std::nullopt);
  }
  Event answer = MakeWrite(1, 6, 5, 20);
  answer.hold = 101;
  order.Confirm(answer, std::nullopt);
  EXPECT_EQ(NetCosts(order), (Costs{{1, 1}, {2, 2}, {1, 2}}));
}

TEST(WriteOrder, AReadOfAnotherValueIsNotTheReadOfAWrite) {
  WriteOrder order(9);
  order.Confirm(MakeWrite(1, 8, 7, 4), MakeWrite(1, 6, 0, 3));
  EXPECT_FALSE(order.overwrites().at(0).read.has_value());
}

// c2's write took effect after c4's concurrent write, so c2's write lost 2 orders, not 3.
TEST(WriteOrder, OrdersThatAMovedWriteHadLostCannotBeBroughtBack) {
  const std::vector<WriteOrderDrawn> drawn{{1, 9, 8, 1, 2},
                                           {1, 8, 7, 3, 4},
                                           {1, 7, 6, 5, 6},
                                           {2, 9, 8, 7, 20},
                                           {4, 8, 7, 8, 21},
                                           {5, 8, 7, 22, 23},
                                           // over 7: 5 units less, but only 4 orders were lost
                                           {6, 2, 1, 24, 25}};
  EXPECT_EQ(NetCosts(ReplayWrites(9, drawn, 1)), (Costs{{4, 0}, {2, 0}, {6, -1}}));
}

}  // namespace
}  // namespace doublehold
