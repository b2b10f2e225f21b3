#include "faults/profiles.h"

#include <gtest/gtest.h>

#include "faults/fault.h"

namespace doublehold {
namespace {

std::vector<FaultPlan> Make(std::string_view name, const Plan& plan) {
  for (const ProfileEntry& entry : Profiles()) {
    if (entry.name == name) return entry.make(plan, {});
  }
  ADD_FAILURE() << "no profile " << name;
  return {};
}

Plan PlanOf(Lease lease, Duration duration, int nodes = 1, int clients = 4) {
  Plan plan;
  plan.lease = lease;
  plan.duration = duration;
  plan.nodes = nodes;
  plan.clients = clients;
  return plan;
}

TEST(Profiles, PauseStopsClientOnePastItsLeaseBeforeItWrites) {
  FaultPlan want;
  want.name = "stopped-client";
  want.kind = "pause";
  want.from = 300ms;
  want.on = Trigger{1, Step::kBeforeWrite};
  want.every = 1750ms;
  want.times = 2;  // 1 + floor((4000 - 300 - 800 - 250) / 1750)
  want.length = 800ms;
  want.client = 1;
  EXPECT_EQ(Make("pause", PlanOf(500ms, 4s)), std::vector{want});
}

TEST(Profiles, NetworkStallsTheRequestsOfClientOne) {
  FaultPlan want = Make("pause", PlanOf(500ms, 4s))[0];
  want.name = "stalled-link";
  want.kind = "stall";
  want.direction = "request";
  EXPECT_EQ(Make("network", PlanOf(500ms, 4s)), std::vector{want});
}

TEST(Profiles, ClockMovesAMajorityAndClientTwoWhileClientOneIsKept) {
  const std::vector<FaultPlan> faults = Make("clock", PlanOf(500ms, 10s, 5));
  ASSERT_EQ(faults.size(), 3u);
  for (const FaultPlan& fault : faults) {
    EXPECT_EQ(fault.on, (Trigger{1, Step::kAfterRead}));
    EXPECT_EQ(fault.from, 300ms);
    EXPECT_EQ(fault.length, 300ms);
    EXPECT_EQ(fault.times, 6);  // 1 + floor((10000 - 300 - 300 - 250) / 1750)
  }
  EXPECT_EQ(faults[0].name, "long-section");
  EXPECT_EQ(faults[0].kind, "slow");
  EXPECT_EQ(faults[0].client, 1);
  EXPECT_EQ(faults[1].name, "node-clock");
  EXPECT_EQ(faults[1].kind, "jump");
  EXPECT_EQ(faults[1].client, std::nullopt);
  EXPECT_EQ(faults[1].nodes, (std::vector{1, 2, 3}));
  EXPECT_EQ(faults[1].by, 750ms);
  EXPECT_EQ(faults[2].name, "client-clock");
  EXPECT_EQ(faults[2].client, 2);
  EXPECT_EQ(faults[2].by, 1500ms);
}

TEST(Profiles, ClockWithOneClientMovesNoClients) {
  EXPECT_EQ(Make("clock", PlanOf(500ms, 10s, 2, 1)).size(), 2u);
  EXPECT_EQ(Make("clock", PlanOf(500ms, 10s, 2, 1))[1].nodes, (std::vector{1, 2}));
}

TEST(Profiles, AShortRunHasOneFaultAndTheNextOneComesAsSoonAsItFits) {
  EXPECT_EQ(Make("pause", PlanOf(1s, 100ms))[0].times, 1);
  EXPECT_EQ(Make("pause", PlanOf(1s, 6199ms))[0].times, 1);
  EXPECT_EQ(Make("pause", PlanOf(1s, 6200ms))[0].times, 2);
}

TEST(Profiles, TakeTurns) {
  const Plan plan = PlanOf(500ms, 10s);
  const std::vector<FaultPlan> alone = Make("pause", plan);
  for (const ProfileEntry& profile : Profiles()) {
    const FaultPlan first = profile.make(plan, {.index = 0, .count = 2})[0];
    const FaultPlan second = profile.make(plan, {.index = 1, .count = 2})[0];
    EXPECT_EQ(first.from, alone[0].from);
    EXPECT_EQ(second.from, first.from + alone[0].every);
    EXPECT_EQ(first.every, 2 * alone[0].every);
    EXPECT_EQ(second.every, first.every);
  }
}

TEST(Profiles, AreMadeOfFaultsThatAreValid) {
  for (const ProfileEntry& profile : Profiles()) {
    EXPECT_FALSE(profile.summary.empty());
    for (const FaultPlan& fault : profile.make(PlanOf(500ms, 4s, 3), {})) {
      const FaultEntry* entry = FindFault(fault.kind);
      ASSERT_NE(entry, nullptr) << fault.kind;
      EXPECT_TRUE(entry->validate(fault)) << fault.name;
    }
  }
}

}  // namespace
}  // namespace doublehold
