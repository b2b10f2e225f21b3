#include "faults/plans/profiles.h"

#include <gtest/gtest.h>

#include <algorithm>

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

std::string FindProfileIncompatibility(std::string_view name, const Plan& plan) {
  const auto entry = std::ranges::find(Profiles(), name, &ProfileEntry::name);
  return entry->incompatibility == nullptr ? "" : entry->incompatibility(plan);
}

Plan MakeProfilesTestPlan(Lease lease, Duration duration, int nodes = 1, int clients = 4) {
  Plan plan;
  plan.lease = lease;
  plan.duration = duration;
  plan.nodes = nodes;
  plan.clients = clients;
  plan.topology = nodes == 1 ? "single" : "independent";
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
  EXPECT_EQ(Make("pause", MakeProfilesTestPlan(500ms, 4s)), std::vector{want});
}

TEST(Profiles, EachHasAFaultThatFitsIntoTheLeastDuration) {
  EXPECT_EQ(LeastDuration(500ms, 1), 2s);  // 2.7 leases, in whole seconds
  EXPECT_EQ(LeastDuration(30s, 1), 81s);
  EXPECT_EQ(LeastDuration(30s, 2), 186s);
  EXPECT_EQ(Make("pause", MakeProfilesTestPlan(30s, LeastDuration(30s, 1)))[0].times, 1);
}

TEST(Profiles, NetworkStallsTheRequestsOfClientOne) {
  FaultPlan want = Make("pause", MakeProfilesTestPlan(500ms, 4s))[0];
  want.name = "stalled-link";
  want.kind = "stall";
  want.direction = "request";
  EXPECT_EQ(Make("network", MakeProfilesTestPlan(500ms, 4s)), std::vector{want});
}

TEST(Profiles, ClockMovesAMajorityAndClientTwoWhileClientOneIsDetained) {
  const std::vector<FaultPlan> faults = Make("clock", MakeProfilesTestPlan(500ms, 10s, 5));
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
  EXPECT_EQ(Make("clock", MakeProfilesTestPlan(500ms, 10s, 2, 1)).size(), 2u);
  EXPECT_EQ(Make("clock", MakeProfilesTestPlan(500ms, 10s, 2, 1))[1].nodes, (std::vector{1, 2}));
}

TEST(Profiles, ClockMovesNoClientWhoseDriverReadsItsOwnClock) {
  Plan plan = MakeProfilesTestPlan(500ms, 10s, 5);
  plan.driver = DriverPlan{};
  EXPECT_EQ(Make("clock", plan).size(), 3u);
  plan.driver->own_clock = true;
  EXPECT_EQ(Make("clock", plan).size(), 2u);
}

TEST(Profiles, CrashKillsClientsFromTheLastOneDownAndLeavesTwo) {
  const std::vector<FaultPlan> faults = Make("crash", MakeProfilesTestPlan(500ms, 10s));
  ASSERT_EQ(faults.size(), 2u);
  FaultPlan want;
  want.name = "killed-client-4";
  want.kind = "crash";
  want.from = 300ms;
  want.on = Trigger{4, Step::kBeforeWrite};
  want.client = 4;
  EXPECT_EQ(faults[0], want);
  want.name = "killed-client-3";
  want.from = 300ms + 1750ms;
  want.on = Trigger{3, Step::kBeforeWrite};
  want.client = 3;
  EXPECT_EQ(faults[1], want);
  EXPECT_EQ(Make("crash", MakeProfilesTestPlan(500ms, 10s, 1, 2)).size(), 1u);
  EXPECT_EQ(Make("crash", MakeProfilesTestPlan(500ms, 2s)).size(), 1u) << "no time for a second";
  EXPECT_EQ(FindProfileIncompatibility("crash", MakeProfilesTestPlan(500ms, 10s, 1, 2)), "");
  EXPECT_EQ(FindProfileIncompatibility("crash", MakeProfilesTestPlan(500ms, 10s, 1, 1)),
            "it kills clients one by one, so it needs 2 or more");
}

TEST(Profiles, RestartEmptiesAMajorityWhileClientOneHolds) {
  const std::vector<FaultPlan> faults = Make("restart", MakeProfilesTestPlan(500ms, 4s, 5));
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].kind, "slow");
  EXPECT_EQ(faults[0].length, 400ms);
  EXPECT_EQ(faults[1].kind, "restart");
  EXPECT_EQ(faults[1].nodes, (std::vector{1, 2, 3}));
  EXPECT_EQ(faults[1].data, "empty");
  EXPECT_EQ(faults[1].length, 50ms);
  for (const FaultPlan& fault : faults) {
    EXPECT_EQ(fault.on, (Trigger{1, Step::kAfterRead}));
    EXPECT_EQ(fault.times, 2);  // 1 + floor((4000 - 300 - 300 - 250) / 1750)
  }
}

TEST(Profiles, RestartKeepsNodesDownForTheLocksRestartDelay) {
  Plan plan = MakeProfilesTestPlan(500ms, 4s, 5);
  plan.lock_options["restart-delay"] = "700000000";  // ns
  const std::vector<FaultPlan> faults = Make("restart", plan);
  EXPECT_EQ(faults[1].length, 700ms);
  EXPECT_EQ(faults[1].times, 2);  // 1 + floor((4000 - 300 - 950 - 250) / 1750)
  plan.duration = 3100ms;
  EXPECT_EQ(Make("restart", plan)[1].times, 1) << "the second would not be back in time";
}

Plan WithReplicas(const std::string& topology, int nodes, int replicas) {
  Plan plan = MakeProfilesTestPlan(500ms, 10s, nodes);
  plan.topology = topology;
  plan.replicas = replicas;
  return plan;
}

TEST(Profiles, RestartInAClusterHitsTheMasterThatKeepsTheLock) {
  const Plan plan = WithReplicas("cluster", 3, 1);
  for (const ProfileEntry& profile : Profiles()) {
    if (profile.name != "restart") continue;
    const std::vector<FaultPlan> faults = profile.make(plan, {.master = 3});
    EXPECT_EQ(faults[1].nodes, std::vector{3});
    EXPECT_EQ(faults[1].times, 4);  // 1 + floor((10000 - 300 - 3300 - 250) / 1750)
  }
}

TEST(Profiles, FailoverLosesClientOnesGrantALeaseAfterTheCut) {
  const std::vector<FaultPlan> faults = Make("failover", WithReplicas("replicated", 1, 2));
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_EQ(faults[0].kind, "cut-replication");
  EXPECT_EQ(faults[0].from, 300ms);
  EXPECT_EQ(faults[0].until_fault, (FaultMoment{.fault = "promoted", .ended = true}));
  for (size_t i = 1; i < faults.size(); ++i) {
    EXPECT_EQ(faults[i].from, 900ms);
    EXPECT_EQ(faults[i].on, (Trigger{1, Step::kAfterRead})) << "of one grant, in this order";
  }
  EXPECT_EQ(faults[1].kind, "slow");
  EXPECT_EQ(faults[2].kind, "crash");
  EXPECT_EQ(faults[2].nodes, std::vector{1});
  EXPECT_EQ(faults[3].kind, "promote");
  EXPECT_EQ(faults[3].nodes, std::vector{2});
  EXPECT_EQ(faults[3].how, "by-hand");
  EXPECT_LT(faults[1].length, 500ms) << "client 1 holds all the while";
}

TEST(Profiles, FailoverAwaitsAVoteIfServersWatchEachOther) {
  const Plan plan = WithReplicas("cluster", 3, 1);
  for (const ProfileEntry& profile : Profiles()) {
    if (profile.name != "failover") continue;
    const std::vector<FaultPlan> faults = profile.make(plan, {.master = 3});
    EXPECT_EQ(faults[0].nodes, std::vector{3});
    EXPECT_EQ(faults[2].nodes, std::vector{3});
    EXPECT_EQ(faults[3].nodes, std::vector{6});
    EXPECT_EQ(faults[3].how, "awaited");
  }
}

TEST(Profiles, AVoteMustEndBeforeTheLeaseOfTheLostGrant) {
  Plan plan = WithReplicas("cluster", 3, 1);
  plan.down_after = 500ms;
  plan.lease = 3571ms;  // 0.7 of it is 2.4997 s
  EXPECT_EQ(FindProfileIncompatibility("failover", plan),
            "a vote of 'cluster' may take 2.5s, and a grant with a lease of 3.571s may end before: "
            "use a lease of 4s or more, and a duration of 17s or more");
  plan.lease = 3572ms;
  EXPECT_EQ(FindProfileIncompatibility("failover", plan), "");
  plan.down_after = 600ms;
  EXPECT_NE(FindProfileIncompatibility("failover", plan), "");
  plan = WithReplicas("replicated", 1, 1);
  EXPECT_EQ(FindProfileIncompatibility("failover", plan), "") << "by hand: at once";
}

TEST(Profiles, FailoverNeedsAKnownReplicaToPromote) {
  EXPECT_EQ(FindProfileIncompatibility("failover", MakeProfilesTestPlan(500ms, 10s)),
            "it needs replicas, which 'single' does not have; use replicated, sentinel or cluster");
  EXPECT_EQ(FindProfileIncompatibility("failover", WithReplicas("replicated", 1, 2)), "");
  EXPECT_EQ(FindProfileIncompatibility("failover", WithReplicas("sentinel", 1, 2)),
            "in 'sentinel' a vote decides which of 2 replicas takes over: use one replica");
}

TEST(Profiles, ARunHasOneFaultUnlessItIsLongEnoughForTwo) {
  EXPECT_EQ(Make("pause", MakeProfilesTestPlan(1s, 100ms))[0].times, 1);
  EXPECT_EQ(Make("pause", MakeProfilesTestPlan(1s, 6199ms))[0].times, 1);
  EXPECT_EQ(Make("pause", MakeProfilesTestPlan(1s, 6200ms))[0].times, 2);
}

TEST(Profiles, Alternate) {
  const Plan plan = MakeProfilesTestPlan(500ms, 10s);
  const std::vector<FaultPlan> alone = Make("pause", plan);
  for (const ProfileEntry& profile : Profiles()) {
    // These profiles do not repeat their faults.
    if (profile.name == "crash" || profile.name == "failover") continue;
    const FaultPlan first = profile.make(plan, {.index = 0, .count = 2})[0];
    const FaultPlan second = profile.make(plan, {.index = 1, .count = 2})[0];
    EXPECT_EQ(first.from, alone[0].from);
    EXPECT_EQ(second.from, first.from + alone[0].every);
    EXPECT_EQ(first.every, 2 * alone[0].every);
    EXPECT_EQ(second.every, first.every);
  }
}

TEST(Profiles, ConsistOfValidFaults) {
  for (const ProfileEntry& profile : Profiles()) {
    EXPECT_FALSE(profile.summary.empty());
    for (const FaultPlan& fault : profile.make(WithReplicas("cluster", 3, 1), {})) {
      const FaultEntry* entry = FindFault(fault.kind);
      ASSERT_NE(entry, nullptr) << fault.kind;
      EXPECT_TRUE(entry->validate(fault)) << fault.name;
    }
  }
}

}  // namespace
}  // namespace doublehold
