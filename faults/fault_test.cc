// Faults on processes and clocks, and healers, against a fake cluster that only logs its calls.
#include "faults/fault.h"

#include <gtest/gtest.h>

#include "faults/testing_cluster.h"

namespace doublehold {
namespace {

using testing::FaultTest;
using testing::Log;

TEST_F(FaultTest, PauseStopsAndContinuesAndMeasuresItsLength) {
  Healer healer = Start({.kind = "pause", .client = 2});
  EXPECT_EQ(TakeLog(), Log{"pause client 2"});
  cluster_.now += 803ms;
  EXPECT_EQ(healer.Heal(), ToNs(803ms));
  EXPECT_EQ(TakeLog(), Log{"resume client 2"});
}

TEST_F(FaultTest, PauseOfNodesDoesNotStopTheClientThatReachedTheStep) {
  Healer healer = Start({.kind = "pause", .on = Trigger{1, Step::kAfterRead}, .nodes = {0, 2}});
  EXPECT_EQ(TakeLog(), (Log{"pause node 0", "pause node 2"}));
}

TEST_F(FaultTest, PauseOfClientZeroStopsEveryClient) {
  Healer healer = Start({.kind = "pause", .client = 0});
  EXPECT_EQ(TakeLog(), (Log{"pause client 1", "pause client 2"}));
}

TEST_F(FaultTest, AHealerHealsOnceAndAtTheLatestInItsDestructor) {
  {
    Healer first = Start({.kind = "pause", .client = 1});
    Healer second = std::move(first);
    TakeLog();
    EXPECT_EQ(first.Heal(), 0);  // NOLINT: a moved-from healer does nothing
    EXPECT_EQ(TakeLog(), Log{});
    second.Heal();
    EXPECT_EQ(TakeLog(), Log{"resume client 1"});
    EXPECT_EQ(second.Heal(), 0);
    second = Start({.kind = "pause", .client = 2});
    EXPECT_EQ(TakeLog(), Log{"pause client 2"});
    second = Start({.kind = "pause", .client = 1});
    EXPECT_EQ(TakeLog(), (Log{"pause client 1", "resume client 2"}));
  }
  EXPECT_EQ(TakeLog(), Log{"resume client 1"});
}

TEST_F(FaultTest, SlowDetainsTheClientThatReachedTheStep) {
  Healer healer = Start({.kind = "slow", .on = Trigger{0, Step::kAfterRead}});
  EXPECT_EQ(TakeLog(), Log{"detain 1"});
  cluster_.now += 10ms;
  EXPECT_EQ(healer.Heal(), ToNs(10ms));
  EXPECT_EQ(TakeLog(), Log{"let go 1"});
}

TEST_F(FaultTest, JumpMovesClocksAndReturnsTheSkewFurthestFromTheAskedOne) {
  Healer healer = Start({.kind = "jump", .nodes = {1, 2}, .by = 700ms});
  EXPECT_EQ(TakeLog(), (Log{"skew node 1 by 700ms", "skew node 2 by 700ms"}));
  cluster_.observed = {{{ProcessRef::Kind::kNode, 1}, 701ms},
                       {{ProcessRef::Kind::kNode, 2}, 650ms}};
  EXPECT_EQ(healer.Heal(), ToNs(650ms));
  EXPECT_EQ(TakeLog(), (Log{"unskew node 1", "unskew node 2"}));
}

TEST_F(FaultTest, DriftIsComparedWithTheSkewAtItsEnd) {
  const FaultPlan plan{.kind = "drift", .length = 2s, .client = 1, .rate = 1.5};
  Healer healer = Start(plan);
  EXPECT_EQ(TakeLog(), Log{"skew client 1 rate 1.5"});
  EXPECT_EQ(FindFault("drift")->asked_ns(plan), ToNs(1s));
  cluster_.observed = {{{ProcessRef::Kind::kClient, 1}, 1001ms}};
  EXPECT_EQ(healer.Heal(), ToNs(1001ms));
}

TEST_F(FaultTest, AClockFaultDidNotActIfAProcessDidNotReadItsClock) {
  Healer healer = Start({.kind = "jump", .nodes = {1, 2}, .by = -700ms});
  EXPECT_EQ(TakeLog(), (Log{"skew node 1 by -700ms", "skew node 2 by -700ms"}));
  cluster_.observed = {{{ProcessRef::Kind::kNode, 1}, -700ms}};
  EXPECT_EQ(healer.Heal(), kDidNotAct);
}

TEST_F(FaultTest, AStrobeMovesTheClockBackAndForth) {
  Healer healer = Start({.kind = "strobe", .client = 2, .by = 300ms, .period = 20ms});
  EXPECT_EQ(TakeLog(), Log{"skew client 2 swing 300ms every 20ms"});
  cluster_.observed = {{{ProcessRef::Kind::kClient, 2}, 301ms}};
  EXPECT_EQ(healer.Heal(), ToNs(301ms));
}

TEST_F(FaultTest, CrashKillsAndEndsAtOnce) {
  Healer healer = Start({.kind = "crash", .client = 2});
  EXPECT_EQ(TakeLog(), Log{"kill client 2"});
  EXPECT_EQ(limits_reached_, 1);
  EXPECT_EQ(healer.Heal(), kActed);
  EXPECT_EQ(TakeLog(), Log{});
}

TEST_F(FaultTest, ActsOnlyIfOneOfItsProcessesIsAlive) {
  using Kind = ProcessRef::Kind;
  const FaultPlan pause{.kind = "pause", .length = 1s, .client = 1, .nodes = {1, 2}};
  FaultPlan crash = pause;
  crash.kind = "crash";
  crash.length = {};
  const FaultPlan slow{.kind = "slow", .on = Trigger{1, Step::kAfterRead}, .length = 1s};
  const std::set<ProcessRef> all{{Kind::kClient, 1}, {Kind::kNode, 1}, {Kind::kNode, 2}};
  struct Row {
    FaultPlan fault;
    std::set<ProcessRef> dead;
    Log log;
    int64_t measured_ns;
  };
  const Log all_stopped{"pause client 1",  "pause node 1",  "pause node 2",
                        "resume client 1", "resume node 1", "resume node 2"};
  const Log all_killed{"kill client 1", "kill node 1", "kill node 2"};
  for (const Row& row : std::vector<Row>{
           {pause, {}, all_stopped, ToNs(5ms)},
           {pause,
            {{Kind::kClient, 1}, {Kind::kNode, 2}},
            {"pause node 1", "resume node 1"},
            ToNs(5ms)},
           {pause, all, {}, kDidNotAct},
           {crash, {{Kind::kNode, 1}}, all_killed, kActed},
           {crash, all, all_killed, kDidNotAct},  // a crashed process stays dead
           {slow, {{Kind::kNode, 1}}, {"detain 1", "let go 1"}, ToNs(5ms)},
           {slow, all, {}, kDidNotAct},
       }) {
    cluster_.dead = row.dead;
    Healer healer = Start(row.fault);
    cluster_.now += 5ms;
    EXPECT_EQ(healer.Heal(), row.measured_ns) << row.fault.kind;
    EXPECT_EQ(TakeLog(), row.log) << row.fault.kind;
  }
}

}  // namespace
}  // namespace doublehold
