// Tests how faults end when their target is dead, or when the run ends.
#include <gtest/gtest.h>

#include "compose/run/testing_timeline.h"
#include "compose/run/timeline.h"

namespace doublehold {
namespace {

using testing::At;
using testing::Lines;
using testing::Pause;

class TimelineEnd : public testing::TimelineTest {};

TEST_F(TimelineEnd, TheEndHealsActiveFaultsAndStartsNoMore) {
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterAcquire)),
         Pause("q", At(2, Step::kAfterRead), At(2, Step::kAfterAcquire))});
  Reach(1, Step::kAfterRead);
  End();
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"}));
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"}));
  EXPECT_EQ(armed_, (std::map<int, uint32_t>{{1, 0}, {2, 0}, {3, 0}}));
}

TEST_F(TimelineEnd, ACrashAtAStepKillsTheClientAndEndsAtOnce) {
  FaultPlan crash{.name = "killed", .kind = "crash"};
  crash.on = At(2, Step::kMidAcquire);
  Begin({crash});
  Reach(2, Step::kMidAcquire);
  EXPECT_EQ(cluster_.log, Lines{"kill 2"});
  EXPECT_EQ(recorded_, (Lines{"killed invoke client 2 node -1", "killed ok client 2 node -1"}));
  EXPECT_EQ(armed_[2], 0U);
}

TEST_F(TimelineEnd, AFaultOnADeadTargetFails) {
  const ProcessRef client{ProcessRef::Kind::kClient, 2};
  const ProcessRef node{ProcessRef::Kind::kNode, 2};
  const FaultPlan on_node{.name = "f", .kind = "pause", .nodes = {2}};
  const FaultPlan on_client{.name = "f", .kind = "pause", .client = 2};
  FaultPlan crash_of_node = on_node;
  crash_of_node.kind = "crash";
  FaultPlan crash_of_client = on_client;
  crash_of_client.kind = "crash";
  struct Row {
    FaultPlan fault;
    ProcessRef dead;
    std::string ends;
  };
  for (const Row& row : std::vector<Row>{
           {on_client, client, "fail client 2 node -1"},
           {on_client, node, "ok client 2 node -1"},
           {on_node, node, "fail client -1 node 2"},
           {on_node, client, "ok client -1 node 2"},
           {crash_of_client, client, "fail client 2 node -1"},
           {crash_of_node, node, "fail client -1 node 2"},
           {crash_of_node, client, "ok client -1 node 2"},
       }) {
    cluster_.dead = {row.dead};
    recorded_.clear();
    Begin({row.fault});
    End();
    ASSERT_EQ(recorded_.size(), 2U);
    EXPECT_EQ(recorded_.back(), "f " + row.ends) << row.fault.kind;
  }
}

TEST_F(TimelineEnd, AClientKilledAtAStepIsNotDetainedThere) {
  FaultPlan crash{.name = "killed", .kind = "crash"};
  crash.on = At(2, Step::kAfterRead);
  FaultPlan slow{.name = "kept", .kind = "slow"};
  slow.on = At(2, Step::kAfterRead);
  slow.length = 3600s;
  Begin({crash, slow});
  Reach(2, Step::kAfterRead);
  End();
  EXPECT_EQ(cluster_.log, Lines{"kill 2"});
  EXPECT_EQ(recorded_.at(2), "killed ok client 2 node -1");
  EXPECT_EQ(recorded_.at(3), "kept fail client 2 node -1");
}

TEST_F(TimelineEnd, FaultsHealedByTheEndOfTheRunHaveActedAndNoneBeginsLater) {
  FaultPlan early{.name = "early", .kind = "pause", .length = 3600s, .client = 1};
  FaultPlan again{.name = "again", .kind = "pause", .every = 1s, .times = 2, .client = 2};
  again.until = At(3, Step::kAfterRead);
  Begin({early, again});
  // The supervisor stalls until after the end of the run.
  cluster_.now += plan_.duration;
  Reach(3, Step::kAfterRead);
  End();
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "pause 2", "resume 2", "resume 1"}));
  EXPECT_EQ(recorded_, (Lines{"early invoke client 1 node -1", "again invoke client 2 node -1",
                              "again ok client 2 node -1", "early ok client 1 node -1"}));
}

TEST_F(TimelineEnd, ARestartEndsWhenItsNodeIsBack) {
  FaultPlan restart{.name = "restart", .kind = "restart", .length = 1ms, .data = "empty"};
  restart.nodes = {3};
  FaultPlan wait{.name = "wait", .kind = "slow"};
  wait.on = At(2, Step::kStart);
  wait.until_fault = FaultMoment{.fault = "restart", .ended = true};
  Begin({wait, restart});
  Reach(2, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"restart 3", "detain 2"}));
  EXPECT_EQ(recorded_, (Lines{"restart invoke client -1 node 3", "wait invoke client 2 node -1"}));
  cluster_.on_back();
  Settle();
  EXPECT_EQ(cluster_.log.back(), "let go 2");
  EXPECT_EQ(recorded_.at(2), "restart ok client -1 node 3");
}

TEST_F(TimelineEnd, ARestartWhoseNodeIsNotBackAtTheEndFailed) {
  FaultPlan restart{.name = "restart", .kind = "restart", .data = "empty"};
  restart.nodes = {3};
  Begin({restart});
  End();
  EXPECT_EQ(recorded_.back(), "restart fail client -1 node 3");
}

}  // namespace
}  // namespace doublehold
