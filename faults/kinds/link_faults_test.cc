// Faults on links, against a fake cluster that only logs its calls.
#include <gtest/gtest.h>

#include "faults/testing_cluster.h"

namespace doublehold {
namespace {

using testing::FaultTest;
using testing::Log;
using testing::Write;

TEST_F(FaultTest, DelayActsBothWaysOnEveryLinkByDefault) {
  Healer healer = Start({.kind = "delay", .delay = 5ms, .jitter = 1ms});
  EXPECT_EQ(TakeLog().size(), 2u * 3u * 2u);  // clients, nodes with the store, directions
  EXPECT_EQ(cluster_.rules.at(1).limit, 0);
  EXPECT_EQ(Write(cluster_.rules.at(2)), "reply delay 5ms+-1ms");
  EXPECT_EQ(healer.Heal(), 12);  // the longest of all rules
  EXPECT_TRUE(cluster_.rules.empty());
}

TEST_F(FaultTest, HoldKeepsOneFrameForItsLengthAndEndsAfterThatFrame) {
  FaultPlan plan{.kind = "hold", .length = 800ms, .client = 2, .nodes = {1}};
  plan.direction = "reply";
  plan.command = "SET";
  Healer healer = Start(plan);
  EXPECT_EQ(TakeLog(), Log{"2-1 reply delay SET 800ms x1"});
  cluster_.ReachLimit(1);
  EXPECT_EQ(limits_reached_, 1);
  healer.Heal();
  EXPECT_EQ(TakeLog(), Log{"clear 1"});
}

TEST_F(FaultTest, AFaultOnSeveralLinksEndsWhenAllItsRulesReachedTheirLimit) {
  Healer healer = Start({.kind = "drop", .client = 1, .nodes = {1, 2}, .count = 3});
  EXPECT_EQ(TakeLog(), (Log{"1-1 reply drop x3", "1-2 reply drop x3"}));
  cluster_.ReachLimit(2);
  EXPECT_EQ(limits_reached_, 0);
  cluster_.ReachLimit(1);
  EXPECT_EQ(limits_reached_, 1);
}

TEST_F(FaultTest, AFaultMayBeHealedFromWithinOnLimitReached) {
  Healer healer;
  const FaultPlan plan{.kind = "drop", .client = 1, .nodes = {1}};
  healer = FindFault("drop")->start(cluster_,
                                    {.plan = plan,
                                     .client = 1,
                                     .clients = 1,
                                     .nodes = 1,
                                     .on_limit_reached = [&] { healer.Heal(); }},
                                    prng_);
  cluster_.ReachLimit(1);
  EXPECT_TRUE(cluster_.rules.empty());
}

TEST_F(FaultTest, StallHoldsRequestsToAllNodesAndTheStore) {
  Healer healer = Start({.kind = "stall", .on = Trigger{1, Step::kBeforeWrite}});
  EXPECT_EQ(TakeLog(), (Log{"1-0 request hold", "1-1 request hold", "1-2 request hold"}));
  EXPECT_EQ(healer.Heal(), 3);
}

TEST_F(FaultTest, ARuleActsOnTheFramesThatThePlanSelects) {
  FaultPlan plan{.kind = "drop",
                 .client = 2,
                 .nodes = {1},
                 .command = "SET",
                 .key = "dh:item:0",
                 .nth = 3,
                 .chance = 0.5};
  Healer dropped = Start(plan);
  plan.kind = "duplicate";
  Healer doubled = Start(plan);
  EXPECT_EQ(TakeLog(), (Log{"2-1 reply drop SET key dh:item:0 from 3 chance 0.5 x1",
                            "2-1 request duplicate SET key dh:item:0 from 3 chance 0.5 x1"}));
}

TEST_F(FaultTest, ADelayHasTheSpreadOfThePlan) {
  for (const std::string spread : {"uniform", "normal", "pareto"}) {
    Healer healer = Start({.kind = "delay",
                           .client = 1,
                           .nodes = {1},
                           .direction = "reply",
                           .delay = 5ms,
                           .jitter = 1ms,
                           .spread = spread});
  }
  EXPECT_EQ(TakeLog(),
            (Log{"1-1 reply delay 5ms+-1ms", "clear 1", "1-1 reply delay 5ms+-1ms normal",
                 "clear 2", "1-1 reply delay 5ms+-1ms pareto", "clear 3"}));
}

TEST_F(FaultTest, DripAndBandwidthSetAPaceAndMeasureTheirLength) {
  Healer drip = Start(
      {.kind = "drip", .client = 1, .nodes = {1}, .direction = "request", .bytes = 3, .gap = 2ms});
  Healer narrow = Start({.kind = "bandwidth",
                         .client = 1,
                         .nodes = {1},
                         .direction = "request",
                         .bytes_per_second = 20'000});
  Healer narrower = Start({.kind = "bandwidth",
                           .client = 1,
                           .nodes = {1},
                           .direction = "request",
                           .bytes_per_second = 50});
  EXPECT_EQ(TakeLog(),
            (Log{"1-1 request pace 3 bytes every 2ms", "1-1 request pace 20 bytes every 1ms",
                 "1-1 request pace 1 bytes every 20ms"}));
  cluster_.now += 300ms;
  EXPECT_EQ(drip.Heal(), ToNs(300ms));
}

TEST_F(FaultTest, ABlackHoleDropsBothWaysAndMeasuresItsLength) {
  Healer healer = Start({.kind = "black-hole", .client = 1, .nodes = {2}});
  EXPECT_EQ(TakeLog(), (Log{"1-2 request drop", "1-2 reply drop"}));
  cluster_.now += 300ms;
  EXPECT_EQ(healer.Heal(), ToNs(300ms));
}

TEST_F(FaultTest, ABlackHoleMayDropOneDirectionOnly) {
  FaultPlan plan{.kind = "black-hole", .client = 1, .nodes = {2}};
  plan.direction = "reply";
  Healer healer = Start(plan);
  EXPECT_EQ(TakeLog(), Log{"1-2 reply drop"});
}

TEST_F(FaultTest, ResetActsOnOneRequestOfEachLink) {
  Healer healer = Start({.kind = "reset", .client = 1, .nodes = {0}});
  EXPECT_EQ(TakeLog(), Log{"1-0 request reset x1"});
}

TEST_F(FaultTest, APartitionCutsEveryClientOffByDefault) {
  Healer healer = Start({.kind = "partition", .nodes = {2}});
  EXPECT_EQ(TakeLog(),
            (Log{"1-2 request drop", "1-2 reply drop", "2-2 request drop", "2-2 reply drop"}));
}

TEST_F(FaultTest, APartitionCutsTheLinksItListsInOneDirection) {
  Healer healer = Start({.kind = "partition",
                         .direction = "reply",
                         .links = {{.client = 1, .node = 2}, {.client = 2, .node = 0}}});
  EXPECT_EQ(TakeLog(), (Log{"1-2 reply drop", "2-0 reply drop"}));
}

// The fixture has two clients and two nodes.
TEST_F(FaultTest, APartitionBetweenServersLeavesTheLinksOfClients) {
  Healer healer = Start({.kind = "partition", .nodes = {2}, .between = "servers"});
  EXPECT_EQ(TakeLog(), (Log{"server 1-2 request drop", "server 1-2 reply drop"}));
  cluster_.now += 300ms;
  EXPECT_EQ(healer.Heal(), ToNs(300ms));
  EXPECT_TRUE(cluster_.rules.empty());
}

TEST_F(FaultTest, APartitionBetweenAllCutsEveryClientOffToo) {
  FaultPlan plan{.kind = "partition", .on = Trigger{1, Step::kAfterRead}, .nodes = {1}};
  plan.direction = "request";
  plan.between = "all";
  Healer healer = Start(plan);
  EXPECT_EQ(TakeLog(), (Log{"server 2-1 request drop", "1-1 request drop", "2-1 request drop"}));
}

TEST_F(FaultTest, APartitionBetweenServersKeepsTheLinksAmongItsNodes) {
  Healer healer = Start({.kind = "partition", .nodes = {1, 2}, .between = "servers"});
  EXPECT_EQ(TakeLog(), Log{});
}

TEST_F(FaultTest, CutReplicationActedOnlyIfTrafficWasLost) {
  for (const int64_t lost : {3, 0}) {
    cluster_.lost_chunks = lost;
    Healer healer = Start({.kind = "cut-replication", .nodes = {1, 2}});
    EXPECT_EQ(TakeLog(), (Log{"cut 1", "cut 2"}));
    cluster_.now += 700ms;
    EXPECT_EQ(healer.Heal(), lost == 0 ? 0 : ToNs(700ms));
    EXPECT_EQ(TakeLog(), (Log{"mend 1", "mend 2"}));
  }
}

}  // namespace
}  // namespace doublehold
