#include "checker/claims/data/stock_story.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/testing/ascii_history.h"
#include "checker/testing/testing_stock.h"

namespace doublehold {
namespace {

using testing::ExpectStock;

constexpr Outcome kStockStoryUnknown = Outcome::kUnknown;
constexpr Outcome kStockStoryViolated = Outcome::kViolated;

TEST(StockStory, AnOverwriteIsDescribedWithItsNetCost) {
  // c5 had read 3 before c3 wrote 4 over that 3. So c5 writes 2, as it would without c3's write.
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c3:       A-a=g==!==========w=R-r        | 5 5>4
      c5:             A-a=gw=gw=g======w=R-r   | 5 5>4 4 4>3 3 3>2
      pause c3:      [----------]
      final:                                 * | 2/4)"),
                                          {});
  EXPECT_EQ(verdict.count, 1);
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(verdict.violations[0].count, 1);
  EXPECT_EQ(verdict.violations[0].first->client, 3);
}

TEST(StockStory, IsUnknownWhereAWriteOfUnknownOutcomeMayHideALostOrder) {
  // c2's write took effect, since c3 read its value. c1 then overwrote c3's value, and c4's write
  // made the sum right again.
  const History history = FromLanes(R"(
      c1:    A-a=g=====================w=R-r          | 5 5>4
      c2:         A-a=g=W?R-r                         | 5 5>4
      c3:                     A-a=g=w=R-r             | 4 4>3
      c4:                             A-a=g======W?R-r| 4 4>3
      final:                                          *| 3/2)");
  EXPECT_EQ(CountItems(history).at(0).Wrong(), 0);
  EXPECT_EQ(CheckStock(history, {}).outcome, Outcome::kUnknown) << CheckStock(history, {}).reason;
}

TEST(StockStory, NamesTheOverwritingAndTheOverwrittenClient) {
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c3:       A-a=g==!==========w=R-r   | 5 5>4
      c5:             A-a=gw=gw=gwR-r     | 5 5>4 4 4>3 3 3>2
      pause c3:      [----------]
      final:                            * | 4/4)"),
                                          {});
  ASSERT_EQ(verdict.violations.size(), 1U);
  const Violation& violation = verdict.violations[0];
  EXPECT_EQ(
      violation.sentence,
      "client 3's lease ended at 0.007 s while it was stopped (0.005-0.016 s); it wrote stock "
      "4 at 0.018 s over client 5's 2, having read 5 at 0.004 s: 3 orders were lost");
  EXPECT_EQ(violation.count, 3);
  EXPECT_EQ(violation.first->client, 3);
  EXPECT_EQ(violation.second->client, 5);
  EXPECT_TRUE(violation.stale);
  EXPECT_EQ(violation.fault, 0);
}

TEST(StockStory, MentionsOrdersThatLaterWritesRestored) {
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c3:       A-a=g==!==============w=R-r        | 9 9>8
      c5:             A-a=gw=gw=gwR-r              | 9 9>8 8 8>7 7 7>6
      c4:                          A-ag====w=R-r   | 6 6>5
      pause c3:      [---------------]
      final:                                     * | 5/5)",
                                                    {.stock = 9}),
                                          {});
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_TRUE(verdict.violations[0].sentence.ends_with(
      "over client 5's 6, having read 9 at 0.004 s; this undid 3 "
      "orders, of which later writes restored 2: 1 "
      "order was lost"))
      << verdict.violations[0].sentence;
  EXPECT_EQ(verdict.violations[0].count, 1);
}

TEST(StockStory, AStaleWriteThatTheNextHolderOverwritesIsBlamed) {
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c1:         A-a=g==!==========w=R-x     | 5 5>4
      c2:                A-a=g========w=R-r   | 5 5>4
      pause c1:        [----------]
      final:                               *  | 4/2)"),
                                          {});
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(
      verdict.violations[0].sentence,
      "client 1's lease ended at 0.007 s while it was stopped (0.005-0.016 s); it wrote stock "
      "4 at 0.018 s; client 2 wrote stock 4 at 0.020 s over client 1's 4, having read 5 at "
      "0.011 s: 1 order was lost");
  EXPECT_TRUE(verdict.violations[0].stale);
  EXPECT_EQ(verdict.violations[0].first->client, 2);
  EXPECT_EQ(verdict.violations[0].second->client, 1);
}

TEST(StockStory, IsUnknownWhereAStallExplainsALostUpdate) {
  ExpectStock({.name = "a stalled write that the next holder overwrote",
               .picture = R"(
      c1:         A-a=g==!==========w=R-x     | 5 5>4
      c2:                A-a=g========w=R-r   | 5 5>4
      machine c1:      (----------)
      final:                               *  | 4/2)",
               .outcome = kStockStoryUnknown,
               .count = 1});
  ExpectStock({.name = "a stalled write over three sales",
               .picture = R"(
      c3:         A-a=g==!==========w=R-r   | 5 5>4
      c5:               A-a=gw=gw=gwR-r     | 5 5>4 4 4>3 3 3>2
      machine c3:      (----------)
      final:                              * | 4/4)",
               .outcome = kStockStoryUnknown,
               .count = 3});
}

// c3 read 4. So c1's write took effect after c2's and overwrote it, although c2's write was
// answered last.
TEST(StockStory, AStalledWriteMayBeTheLastOfConcurrentWrites) {
  const std::string lanes = R"(
      c1:             A-a=g=====!=======W--w=R-x           | 5 5>4
      c2:         A-a=gwR-r      A-a=g=W-----wR-r          | 5 5>4 4 4>3
      c3:                                          A-a=gwR-r | 4 4>3
      final:                                                 * | 3/4)";
  ExpectStock(
      {.name = "without a stall", .picture = lanes, .outcome = kStockStoryViolated, .count = 2});
  ExpectStock({.name = "a stall of the overwriting client",
               .picture = lanes + "\n      machine c1:          (----------)",
               .outcome = kStockStoryUnknown,
               .count = 2});
  ExpectStock({.name = "a stall of another client",
               .picture = lanes + "\n      machine c3:          (----------)",
               .outcome = kStockStoryViolated,
               .count = 2});
}

TEST(StockStory, AStallExcusesOnlyTheOrdersThatTheStalledWriteLost) {
  // c1's stale write cost one order. Another order was lost, and no stale write explains this loss.
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c1:         A-a=g==!==========w=R-x                | 5 5>4
      c2:                A-a=g========w=R-r              | 5 5>4
      c3:                                  A-a=g=w=R-r   | 4 4>3
      machine c1:      (----------)
      final:                                          *  | 4/3)"),
                                          {});
  EXPECT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
  EXPECT_EQ(verdict.count, 2);
  ASSERT_EQ(verdict.violations.size(), 2U);
  EXPECT_TRUE(verdict.violations[0].explained_by_stall);
  EXPECT_EQ(verdict.violations[1].sentence,
            "the stock fell from 5 to 4, but 3 orders were made: 2 orders were lost");
}

TEST(StockStory, AWriteWhoseValueWasReadBeforeItsAnswerIsNotBlamed) {
  // c1's answer is late: c2 has already read c1's 4. Only c3's write is stale.
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c1:    A-a=g=W========u=R-r              | 5 5>4
      c2:             A-a=gw=R-r               | 4 4>3
      c3:                  A-a=g===========wR  | 3 3>2
      c4:                       A-a=gw=R-r     | 3 3>2
      final:                                 * | 2/3)"),
                                          {});
  EXPECT_EQ(verdict.count, 1);
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(verdict.violations[0].first->client, 3);
}

// Expects that client 1's late write lost three orders, and that no other write lost any.
void ExpectClient1OverwroteClient2(const std::string& lanes) {
  const ClaimVerdict verdict = CheckStock(FromLanes(lanes), {});
  EXPECT_EQ(verdict.count, 3);
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(verdict.violations[0].count, 3);
  EXPECT_EQ(verdict.violations[0].first->client, 1);
  EXPECT_EQ(verdict.violations[0].second->client, 2);
  EXPECT_TRUE(verdict.violations[0].stale);
}

TEST(StockStory, TheConcurrentWriteWhoseValueWasReadWasLast) {
  // c2's write of 2 was answered last, but c1 had overwritten it by then: c3 read c1's value.
  const std::string late = R"(
      c1:       A-a=g==!==============W-w=R-x           | 5 5>4
      c2:                  A-a=gw=gw=gW---w=R-r         | 5 5>4 4 4>3 3 3>2
      c3:                                     A-a=gw=R-r| 4 4>3
      pause c1:      [----------------]
      final:                                          * | 3/5)";
  ExpectClient1OverwroteClient2(late);
  // Here c2 wrote after c1's write was answered, so no write explains the value that c3 read.
  std::string apart = late;
  apart.replace(apart.find("gW---w=R-r"), 10, "g===W-wR-r");
  const ClaimVerdict other = CheckStock(FromLanes(apart), {});
  ASSERT_FALSE(other.violations.empty());
  EXPECT_EQ(other.violations.back().first->client, 3);
}

// c2 read 3 before c1's write took effect, and c1 itself read 4 after c2's write was done. So c1's
// write took effect after those of c4 and c2.
TEST(StockStory, AWriteMayTakeEffectAfterSeveralConcurrentWrites) {
  const std::string held = R"(
      c1:          A-a=g=W--!------------------w=R-x   A-a=gw=R-r | 5 5>4 4 4>3
      c4:                   A-a=gw=gwR-r                          | 5 5>4 4 4>3
      c2:                             A-a=g=W-----w=R-r           | 3 3>2
      hold c1:      [---------------------]
      final:                                                  * | 3/5)";
  ExpectClient1OverwroteClient2(held);
  // Here c2 wrote after c1's write was answered, so no write explains the value that c1 read later.
  std::string apart = held;
  apart.replace(apart.find("g=W-----w=R-r"), 13, "g========Ww=R-r");
  apart.erase(apart.find("| 3 3>2") - 3, 2);
  const ClaimVerdict other = CheckStock(FromLanes(apart), {});
  ASSERT_FALSE(other.violations.empty());
  EXPECT_FALSE(other.violations.back().stale);
  EXPECT_EQ(other.violations.back().second->client, 2);
}

// c2's 3 was answered last, but the final stock was 4: c1 overwrote c2's value.
TEST(StockStory, TheFinalStockShowsWhichWriteWasLast) {
  const std::string lanes = R"(
      c1:          A-a=g==!==========W-w=R-x         | 5 5>4
      c2:                 A-a=g=w=g=W---w=R-r        | 5 5>4 4 4>3
      machine c1:      (-------------)
      final:                                      *  | )";
  const ClaimVerdict over = CheckStock(FromLanes(lanes + "4/3"), {});
  EXPECT_EQ(over.outcome, Outcome::kUnknown) << over.reason;
  ASSERT_EQ(over.violations.size(), 1U);
  EXPECT_EQ(over.violations[0].count, 2);
  EXPECT_TRUE(over.violations[0].explained_by_stall);
  // Here c2's write was last and overwrote c1's value.
  const ClaimVerdict under = CheckStock(FromLanes(lanes + "3/3"), {});
  ASSERT_EQ(under.violations.size(), 1U);
  EXPECT_EQ(under.violations[0].count, 1);
}

// c3 had read c1's 4 before c1 was answered. So c1's write took effect before c3's read, over c2's
// 3.
TEST(StockStory, AWriteWhoseValueWasReadTookEffectBeforeThisRead) {
  const std::string lanes = R"(
      c1:          A-a=g==!===========W--------w=R-x       | 5 5>4
      c2:                 A-a=g=w=g=wR-r                    | 5 5>4 4 4>3
      c3:                                A-a=gw=R-r         | 4 4>3
      final:                                             *  | 3/4)";
  const ClaimVerdict without_stall = CheckStock(FromLanes(lanes), {});
  EXPECT_EQ(without_stall.outcome, Outcome::kViolated);
  ASSERT_EQ(without_stall.violations.size(), 1U) << without_stall.violations[1].sentence;
  EXPECT_EQ(without_stall.violations[0].count, 2);
  EXPECT_EQ(without_stall.violations[0].first->client, 1);
  EXPECT_EQ(without_stall.violations[0].second->client, 2);
  EXPECT_NE(without_stall.violations[0].sentence.find("it wrote stock 4 at 0.026 s over"),
            std::string::npos);
  const ClaimVerdict explained_by_stall =
      CheckStock(FromLanes(lanes + "\n      machine c1:       (-------------------)"), {});
  EXPECT_EQ(explained_by_stall.outcome, Outcome::kUnknown) << explained_by_stall.reason;
  EXPECT_EQ(explained_by_stall.count, 2);
  // c1's order was not confirmed, so one order fewer was lost.
  std::string unanswered = lanes;
  unanswered.replace(unanswered.find("W--------w"), 10, "W--------?");
  unanswered.replace(unanswered.find("3/4"), 3, "3/3");
  const ClaimVerdict unsold = CheckStock(FromLanes(unanswered), {});
  ASSERT_EQ(unsold.violations.size(), 1U);
  EXPECT_EQ(unsold.violations[0].count, 1);
}

// c2 had read a stock of 1. c1, whose lease had expired, took that last unit.
TEST(StockStory, AStockBelowZeroIsBlamedOnAConcurrentLateSale) {
  const std::string lanes = R"(
      c1:          A-a=g==!=============w=R-x     | 1 1>0
      c2:                       A-a=g======w=R-r  | 1 1>-1
      final:                                    * | -1/2)";
  const LaneOptions two_steps{.stock = 1, .write = "check-then-decr"};
  const ClaimVerdict late = CheckStock(FromLanes(lanes, two_steps), {});
  EXPECT_EQ(late.outcome, Outcome::kViolated);
  ASSERT_FALSE(late.violations.empty());
  EXPECT_TRUE(late.violations[0].stale);
  ASSERT_TRUE(late.violations[0].second);
  EXPECT_EQ(late.violations[0].second->client, 1);
  EXPECT_NE(late.violations[0].sentence.find("client 2 took the stock to -1 at"),
            std::string::npos);
  const auto outcome = [&](const std::string& more) {
    return CheckStock(FromLanes(lanes + more, two_steps), {}).outcome;
  };
  EXPECT_EQ(outcome("\n      machine c1:       (-----------------)"), Outcome::kUnknown);
  EXPECT_EQ(outcome("\n      machine c3:       (-----------------)"), Outcome::kViolated);
  EXPECT_EQ(outcome("\n      pause c1:         [-----------------]"), Outcome::kViolated);
  // c1's late sale explains one unit below zero, but there were two.
  std::string three = lanes + "\n      machine c1:       (-----------------)" +
                      "\n      c3:                        A-a=g======w=R-r | 1 1>-2";
  three.replace(three.find("-1/2"), 4, "-2/3");
  const ClaimVerdict missing = CheckStock(FromLanes(three, two_steps), {});
  EXPECT_EQ(missing.outcome, Outcome::kViolated);
  ASSERT_EQ(missing.violations.size(), 2U);
  EXPECT_TRUE(missing.violations[0].explained_by_stall);
  EXPECT_FALSE(missing.violations[1].explained_by_stall);
}

// The final stock equals the value of c2's write of unknown outcome, but c1's write left this
// stock.
TEST(StockStory, NothingIsOverwrittenWhereStockIsDecremented) {
  for (const char* write : {"check-then-decr", "atomic-script"}) {
    ExpectStock({.name = write,
                 .picture = R"(
      c3:    A-a=g=w=R-r                   | 5 5>4
      c1:                A-a=g=w=R-r       | 4 4>3
      c2:                 A-a=g==W-?=R-r   | 4 4>3
      final:                             * | 3/2)",
                 .write = write});
    ExpectStock({.name = std::string("c1 had read a higher stock, ") + write,
                 .picture = R"(
      c1:    A-a=g===========w=R-r         | 5 5>3
      c3:      A-a=g=w=R-r                 | 5 5>4
      c2:               A-a=g==W-?=R-r     | 4 4>3
      final:                             * | 3/2)",
                 .write = write});
  }
}

TEST(StockStory, AnOverwriteWithinTheLeasesIsBlamedOnAFaultOnServers) {
  const ClaimVerdict verdict = CheckStock(FromLanes(R"(
      c1:                 A-a=g=========w=R-r  | 5 5>4
      c2:                   A-a=g==w=R-r       | 5 5>4
      c3 item-1:      A-a=g==========w=R-r     | 5 5>4
      c4 item-1:        A-a=g=w=R-r            | 5 5>4
      jump n1:              [-]
      final:                                 * | 4/2
      final item-1:                          * | 4/2)"),
                                          {});
  ASSERT_EQ(verdict.violations.size(), 2U);
  EXPECT_EQ(verdict.violations[0].fault, 0);
  EXPECT_EQ(verdict.violations[0].first->client, 3) << "the earlier overwrite is told first";
}

TEST(StockStory, ADelayedWriteMayExcuseAnOverwriteWithinTheLeases) {
  // c1's late release freed c2's lock, so c3 was granted the key.
  const std::string freed = R"(
      c1:         A-a==!=========R-f
      c2:                A-a=g=============w=R-f   | 5 5>4
      c3:                         A-a=g=w=R-f      | 5 5>4
      final:                                     * | 4/2)";
  for (const std::string fault : {"", "\n      drop c4:                      []"}) {
    const ClaimVerdict doubtful =
        CheckStock(FromLanes(freed + "\n      machine c1:    (---------)" + fault), {});
    EXPECT_EQ(doubtful.outcome, kStockStoryUnknown) << doubtful.reason;
    EXPECT_EQ(doubtful.violations.at(0).fault, -1) << fault;
  }
  ExpectStock(
      {.name = "without a stall", .picture = freed, .outcome = kStockStoryViolated, .count = 1});
  // c2 had read c1's 4 before c3 did. c1's write was answered only after c3's.
  const std::string read = R"(
      c1:         A-a=g=W--!-----------w=R-x      | 5 5>4
      c2:                 A-a=g===========w=R-r   | 4 4>3
      c3:                  A-a=g=w=R-r            | 4 4>3
      final:                                    * | 3/3)";
  ExpectStock({.name = "the value of the delayed write was read",
               .picture = read + "\n      machine c1:        (-----------)",
               .outcome = kStockStoryUnknown,
               .count = 1});
  ExpectStock(
      {.name = "without its stall", .picture = read, .outcome = kStockStoryViolated, .count = 1});
  ExpectStock({.name = "the delayed write has nothing to do with the overwrite",
               .picture = R"(
      c1:         A-a=g==!==========W?R-x         | 5 5>4
      c2:                   A-a=g==========w=R-r  | 5 5>4
      c3:                     A-a=g=======w=R-r   | 5 5>4
      machine c1:      (-----------)
      final:                                    * | 4/2)",
               .outcome = kStockStoryViolated,
               .count = 1});
}

}  // namespace
}  // namespace doublehold
