// Tests that faults begin and end at their times, at steps, or with other faults.
#include "compose/run/timeline.h"

#include <gtest/gtest.h>

#include "compose/run/testing_timeline.h"

namespace doublehold {
namespace {

using testing::At;
using testing::Lines;
using testing::Pause;
using testing::TimelineTest;

TEST_F(TimelineTest, AFaultStartsAtItsStepAndEndsAtAnother) {
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterAcquire))});
  EXPECT_TRUE(IsArmed(1, Step::kAfterRead));
  EXPECT_EQ(armed_[2], 0u) << "nobody else announces anything";
  Reach(2, Step::kAfterAcquire);
  Reach(1, Step::kAfterAcquire);
  EXPECT_EQ(cluster_.log, Lines{});
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, Lines{"pause 1"});
  EXPECT_FALSE(IsArmed(1, Step::kAfterRead));
  EXPECT_TRUE(IsArmed(2, Step::kAfterAcquire));
  Reach(2, Step::kAfterAcquire);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"}));
  EXPECT_EQ(recorded_, (Lines{"p invoke client 1 node -1", "p ok client 1 node -1"}));
  EXPECT_EQ(armed_, (std::map<int, uint32_t>{{1, 0}, {2, 0}, {3, 0}})) << "it was to start once";
}

TEST_F(TimelineTest, AFaultThatStartsAtItsTimeEndsAtAStep) {
  FaultPlan pause = Pause("a", {}, At(2, Step::kAfterAcquire));
  pause.client = 1;
  pause.from = Duration(1);  // a timer starts it
  Begin({pause});
  EXPECT_EQ(CountStarts("a"), 1);
  EXPECT_TRUE(IsArmed(2, Step::kAfterAcquire));
  Reach(2, Step::kAfterAcquire);
  EXPECT_EQ(recorded_.back(), "a ok client 1 node -1");
  EXPECT_FALSE(IsArmed(2, Step::kAfterAcquire));
}

TEST_F(TimelineTest, ATriggerOfAnyClientMatchesTheFirstClientAtTheStep) {
  Begin({Pause("p", At(0, Step::kAfterRead), At(0, Step::kAfterRelease))});
  for (const int client : {1, 2, 3}) EXPECT_TRUE(IsArmed(client, Step::kAfterRead));
  Reach(3, Step::kAfterRead);
  Reach(2, Step::kAfterRead);
  Reach(1, Step::kAfterRelease);
  EXPECT_EQ(cluster_.log, (Lines{"pause 3", "resume 3"}));
}

TEST_F(TimelineTest, AFaultOnTheLeaderActsOnTheNodeThatLeadsAtEachStart) {
  FaultPlan fault = Pause("p", At(1, Step::kAfterRead), At(1, Step::kAfterWrite));
  fault.nodes = {kLeaderNode};
  fault.times = 3;
  fault.every = Duration(1);
  Begin({fault});
  for (const std::optional<int> leader : {std::optional(3), {}, std::optional(2)}) {
    cluster_.leader = leader;
    cluster_.now += 1s;
    Reach(1, Step::kAfterRead);
    cluster_.leader = 5;  // another leader is no target of an active fault
    Reach(1, Step::kAfterWrite);
  }
  EXPECT_EQ(cluster_.log, (Lines{"pause 3", "resume 3", "pause 2", "resume 2"}));
  EXPECT_EQ(recorded_, (Lines{"p invoke client -1 node 3", "p ok client -1 node 3",
                              "p invoke client -1 node -1", "p fail client -1 node -1",
                              "p invoke client -1 node 2", "p ok client -1 node 2"}));
}

TEST_F(TimelineTest, AFaultRepeatsAsOftenAsPlanned) {
  FaultPlan fault = Pause("p", At(1, Step::kAfterRead), At(1, Step::kAfterWrite));
  fault.times = 3;
  fault.every = Duration(1);
  Begin({fault});
  for (int round = 0; round < 5; ++round) {
    cluster_.now += 1s;
    Reach(1, Step::kAfterRead);
    Reach(1, Step::kAfterWrite);
  }
  EXPECT_EQ(CountStarts("p"), 3);
  EXPECT_EQ(recorded_.size(), 6u);
}

TEST_F(TimelineTest, AStepWithANumberCountsFromWhenTheFaultWaitsForIt) {
  FaultPlan fault = Pause("p", At(1, Step::kAfterRead, 3), At(0, Step::kAfterRelease, 2));
  fault.times = 2;
  fault.every = Duration(1);
  Begin({fault});
  const auto reach = [&](int times, int client, Step step) {
    cluster_.now += 1s;
    for (int i = 0; i < times; ++i) Reach(client, step);
    return CountStarts("p");
  };
  EXPECT_EQ(reach(2, 1, Step::kAfterRead), 0);
  EXPECT_EQ(reach(1, 2, Step::kAfterRead), 0) << "of another client";
  EXPECT_EQ(reach(1, 1, Step::kAfterRead), 1);
  reach(1, 2, Step::kAfterRelease);
  EXPECT_EQ(cluster_.log, Lines{"pause 1"});
  reach(1, 3, Step::kAfterRelease);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"})) << "the second release of any client";
  EXPECT_EQ(reach(2, 1, Step::kAfterRead), 1);
  EXPECT_EQ(reach(1, 1, Step::kAfterRead), 2) << "it counts anew";
}

TEST_F(TimelineTest, AFaultWaitsForItsTimeBeforeItsStepCounts) {
  FaultPlan fault = Pause("p", At(1, Step::kAfterRead), At(1, Step::kAfterWrite));
  fault.from = std::chrono::hours(1);
  Begin({fault});
  EXPECT_FALSE(IsArmed(1, Step::kAfterRead));
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, Lines{});
}

TEST_F(TimelineTest, AFaultDuringAnotherFaultStartsOnlyWhileTheOtherIsActive) {
  FaultPlan inner{.name = "inner", .kind = "slow"};
  inner.on = At(2, Step::kAfterRead);
  inner.until = At(2, Step::kAfterWrite);
  inner.during = "outer";
  Begin({Pause("outer", At(1, Step::kBeforeWrite), At(3, Step::kAfterRelease)), inner});
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(CountStarts("inner"), 0);
  Reach(1, Step::kBeforeWrite);
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "detain 2"}));
}

TEST_F(TimelineTest, AFaultWithALengthAndAStepEndsAtTheEarlierOfTheTwo) {
  FaultPlan by_step = Pause("by-step", At(1, Step::kStart), At(2, Step::kStart));
  by_step.length = std::chrono::hours(1);
  FaultPlan by_length = Pause("by-length", At(3, Step::kStart), At(2, Step::kAfterRead));
  by_length.length = Duration(1);
  Begin({by_step, by_length});
  Reach(1, Step::kStart);
  EXPECT_EQ(cluster_.log, Lines{"pause 1"});
  Reach(2, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"}));
  Reach(3, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1", "pause 3", "resume 3"}));
}

TEST_F(TimelineTest, AFaultCanEndWhenAnotherFaultBeginsOrEnds) {
  FaultPlan until_begin{.name = "until-begin", .kind = "slow"};
  until_begin.on = At(2, Step::kStart);
  until_begin.until_fault = FaultMoment{.fault = "p", .ended = false};
  FaultPlan until_end{.name = "until-end", .kind = "slow"};
  until_end.on = At(3, Step::kStart);
  until_end.until_fault = FaultMoment{.fault = "p", .ended = true};
  Begin({until_begin, until_end, Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterRead))});
  Reach(2, Step::kStart);
  Reach(3, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"detain 2", "detain 3"}));
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"detain 2", "detain 3", "pause 1", "let go 2"}));
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(cluster_.log,
            (Lines{"detain 2", "detain 3", "pause 1", "let go 2", "resume 1", "let go 3"}));
}

TEST_F(TimelineTest, AFaultEndsAtOnceIfItsMomentHasPassed) {
  FaultPlan late{.name = "late", .kind = "slow"};
  late.on = At(2, Step::kStart);
  late.until_fault = FaultMoment{.fault = "p", .ended = false};
  Begin({late, Pause("p", At(1, Step::kAfterRead), At(3, Step::kAfterRead))});
  Reach(1, Step::kAfterRead);
  Reach(2, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "detain 2", "let go 2"}));
}

TEST_F(TimelineTest, TwoFaultsAtOneStepStartInTheOrderOfThePlan) {
  FaultPlan slow{.name = "slow", .kind = "slow"};
  slow.on = At(1, Step::kAfterRead);
  slow.length = 1s;
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kStart)), slow});
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "detain 1"}));
}

TEST_F(TimelineTest, AFaultOnFramesEndsAfterItsLastFrame) {
  FaultPlan drop{.name = "lost", .kind = "drop"};
  drop.client = 1;
  drop.nodes = {2};
  drop.on = At(1, Step::kStart);
  Begin({drop});
  Reach(1, Step::kStart);
  ASSERT_EQ(cluster_.rules.size(), 1u);
  EXPECT_EQ(CountStarts("lost"), 1);
  EXPECT_EQ(recorded_.size(), 1u);
  std::exchange(cluster_.rules.begin()->second.on_limit_reached, nullptr)();
  EXPECT_EQ(cluster_.rules.size(), 1u) << "not from inside the rule itself";
  Settle();
  EXPECT_TRUE(cluster_.rules.empty());
  EXPECT_EQ(recorded_, (Lines{"lost invoke client 1 node 2", "lost ok client 1 node 2"}));
}

TEST_F(TimelineTest, AFaultOnFramesFailsIfNoFramePasses) {
  FaultPlan drop{.name = "lost", .kind = "drop"};
  drop.client = 1;
  drop.on = At(1, Step::kStart);
  cluster_.frames = 0;
  Begin({drop});
  Reach(1, Step::kStart);
  End();
  EXPECT_EQ(recorded_, (Lines{"lost invoke client 1 node -1", "lost fail client 1 node -1"}));
}

TEST_F(TimelineTest, AFaultOnNodesIsNotRecordedForTheClientThatTriggeredIt) {
  FaultPlan jump{.name = "clock", .kind = "jump"};
  jump.nodes = {3, 4};
  jump.by = 1s;
  jump.on = At(1, Step::kAfterRead);
  jump.until = At(2, Step::kAfterRead);
  Begin({jump});
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(recorded_, Lines{"clock invoke client -1 node 3"});
}

TEST_F(TimelineTest, APartitionIsRecordedForItsClientUnlessItIsBetweenServers) {
  for (const auto& [between, client] : {std::pair("", 1), {"servers", -1}, {"all", -1}}) {
    FaultPlan cut{.name = "cut", .kind = "partition"};
    cut.nodes = {1};
    cut.between = between;
    cut.on = At(1, Step::kAfterRead);
    cut.until = At(2, Step::kAfterRead);
    Begin({cut});
    recorded_.clear();
    Reach(1, Step::kAfterRead);
    EXPECT_EQ(recorded_, Lines{fmt::format("cut invoke client {} node 1", client)});
  }
}

TEST_F(TimelineTest, AFaultWithoutAStepStartsAtItsTime) {
  FaultPlan pause{.name = "p", .kind = "pause"};
  pause.client = 2;
  pause.until = At(1, Step::kAfterRead);
  Begin({pause});
  EXPECT_EQ(cluster_.log, Lines{"pause 2"});
}

TEST_F(TimelineTest, AClockJumpFailsIfNobodyReadTheClock) {
  FaultPlan jump{.name = "clock", .kind = "jump"};
  jump.nodes = {3};
  jump.by = 1s;
  cluster_.observed = std::nullopt;
  Begin({jump});
  End();
  EXPECT_EQ(recorded_, (Lines{"clock invoke client -1 node 3", "clock fail client -1 node 3"}));
}

TEST_F(TimelineTest, ASecondFaultCanBeArmedWhileAClientIsStopped) {
  FaultPlan jump{.name = "clock", .kind = "jump"};
  jump.nodes = {1};
  jump.by = 1s;
  jump.on = At(2, Step::kAfterAcquire);
  jump.during = "p";
  jump.length = 3600s;
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterRelease)), jump});
  Reach(2, Step::kAfterAcquire);
  EXPECT_EQ(CountStarts("clock"), 0);
  Reach(1, Step::kAfterRead);
  Reach(2, Step::kAfterAcquire);
  EXPECT_EQ(CountStarts("clock"), 1);
}

TEST_F(TimelineTest, ManyWaitingFaultsDoNotSlowDownAStep) {
  std::vector<FaultPlan> faults;
  for (int i = 0; i < 20'000; ++i) {
    faults.push_back(Pause(fmt::format("p{}", i), At(1, Step::kAfterRead), At(2, Step::kStart)));
    faults.back().from = std::chrono::hours(1 + i);
  }
  faults.front().from = {};
  Begin(faults);
  // This test would take minutes if each step checked each fault.
  for (int i = 0; i < 20'000; ++i) Reach(3, Step::kAfterRead);
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, Lines{"pause 1"});
}

}  // namespace
}  // namespace doublehold
