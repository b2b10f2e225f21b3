#include "faults/plans/nemesis.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "faults/fault.h"
#include "faults/plans/sides.h"

namespace doublehold {
namespace {

Plan MakeNemesisTestPlan(Duration duration, uint64_t seed = 7, int nodes = 5) {
  Plan plan;
  plan.lease = 500ms;
  plan.duration = duration;
  plan.nodes = nodes;
  plan.clients = 4;
  plan.seed = seed;
  return plan;
}

const Nemesis kAll{.members = {"pause", "clock", "network", "partition", "restart"},
                   .every = 500ms,
                   .shortest = 100ms,
                   .longest = 1s};

std::vector<FaultPlan> Draw(const Plan& plan, const Nemesis& nemesis) {
  const Result<std::vector<FaultPlan>> faults = DrawNemesis(plan, nemesis);
  EXPECT_TRUE(faults.has_value()) << faults.error().message;
  return faults.value_or(std::vector<FaultPlan>{});
}

TEST(Nemesis, EqualSeedsDrawEqualPlansAndOtherSeedsDrawOtherPlans) {
  EXPECT_EQ(Draw(MakeNemesisTestPlan(60s), kAll), Draw(MakeNemesisTestPlan(60s), kAll));
  EXPECT_NE(Draw(MakeNemesisTestPlan(60s), kAll), Draw(MakeNemesisTestPlan(60s, /*seed=*/8), kAll));
}

TEST(Nemesis, DrawsValidFaultsThatEndBeforeTheCalm) {
  for (const int nodes : {1, 2, 3, 5}) {
    const Plan plan = MakeNemesisTestPlan(600s, /*seed=*/3, nodes);
    const std::vector<FaultPlan> faults = Draw(plan, kAll);
    EXPECT_EQ(faults.size(), 1196u);  // 1 + (600 - 0.5 - 1 - 1) / 0.5
    std::set<std::string> names;
    std::map<std::string, int> kinds;
    Duration before{};
    for (const FaultPlan& fault : faults) {
      const Result<void> valid = FindFault(fault.kind)->validate(fault);
      EXPECT_TRUE(valid.has_value()) << valid.error().message;
      EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
      EXPECT_NE(fault.drawn_for, "");
      EXPECT_GE(fault.from, before);
      before = fault.from;
      EXPECT_GE(fault.length, 100ms);
      EXPECT_LE(fault.from + fault.length, plan.duration - 2 * plan.lease);
      EXPECT_LE(fault.client.value_or(1), plan.clients);
      for (const int node : fault.nodes) EXPECT_LE(node, nodes);
      ++kinds[fault.kind];
    }
    for (const char* kind : {"pause", "jump", "drift", "strobe", "delay", "hold", "drop", "reset",
                             "stall", "black-hole", "partition", "restart"}) {
      EXPECT_GT(kinds[kind], 10) << kind;
    }
  }
}

TEST(Nemesis, DrawsLengthsBelowAndAboveTheLease) {
  int below = 0;
  int above = 0;
  for (const FaultPlan& fault : Draw(MakeNemesisTestPlan(60s), kAll)) {
    (fault.length < 500ms ? below : above) += 1;
  }
  EXPECT_GT(below, 20);
  EXPECT_GT(above, 20);
}

TEST(Nemesis, WithOneMemberDrawsNothingElse) {
  Nemesis pauses = kAll;
  pauses.members = {"pause"};
  for (const FaultPlan& fault : Draw(MakeNemesisTestPlan(30s), pauses))
    EXPECT_EQ(fault.kind, "pause");
}

TEST(Nemesis, DrawsEveryMemberIfThereIsRoom) {
  const Nemesis three{.members = {"pause", "partition", "restart"},
                      .every = 500ms,
                      .shortest = 100ms,
                      .longest = 1s};
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<FaultPlan> faults = Draw(MakeNemesisTestPlan(3500ms, seed), three);
    ASSERT_EQ(faults.size(), 3U);
    std::set<std::string> kinds;
    for (const FaultPlan& fault : faults) {
      kinds.insert(fault.kind);
      EXPECT_TRUE(FindFault(fault.kind)->validate(fault).has_value());
    }
    EXPECT_EQ(kinds.size(), 3U) << seed;
  }
}

TEST(Nemesis, RestartsOneServerAtATimeIfTheyAreReplicas) {
  Nemesis restarts = kAll;
  restarts.members = {"restart"};
  Plan plan = MakeNemesisTestPlan(60s, /*seed=*/7, /*nodes=*/3);
  plan.replicas = 1;
  std::set<int> hit;
  for (const FaultPlan& fault : Draw(plan, restarts)) {
    EXPECT_EQ(fault.nodes.size(), 1u);
    hit.insert(fault.nodes.begin(), fault.nodes.end());
  }
  EXPECT_EQ(hit, (std::set{1, 2, 3, 4, 5, 6}));
}

TEST(Nemesis, KeepsRestartedNodesDownButNotIntoTheCalm) {
  Nemesis restarts = kAll;
  restarts.members = {"restart", "pause"};
  restarts.kept_out = 3s;
  const Plan plan = MakeNemesisTestPlan(60s);
  for (const FaultPlan& fault : Draw(plan, restarts)) {
    if (fault.kind == "restart") {
      EXPECT_EQ(fault.length, 3s);
    }
    EXPECT_LE(fault.from + fault.length, plan.duration - 2 * plan.lease);
  }
}

TEST(Nemesis, AnErrorSaysHowLongTheRunMustBe) {
  const auto refused = DrawNemesis(MakeNemesisTestPlan(2s), kAll);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "a run of 2s is too short for a fault of 1s: no fault begins in the first lease or "
            "lasts into the last 1s; use a duration of 2.5s or more");
  EXPECT_EQ(Draw(MakeNemesisTestPlan(2500ms), kAll).size(), 1u);
  Nemesis too_often = kAll;
  too_often.every = 1ms;
  EXPECT_FALSE(DrawNemesis(MakeNemesisTestPlan(60s), too_often).has_value());
}

std::vector<int> NodesCutFromClient(int client, const std::vector<Link>& links) {
  std::vector<int> nodes;
  for (const Link& link : links) {
    if (link.client == client) nodes.push_back(link.node);
  }
  return nodes;
}

TEST(CutLinks, AMinorityOrMajorityIsTheSameForEveryClient) {
  Prng random(1, "sides");
  for (const auto& [sides, count] : {std::pair{"minority", 2U}, {"majority", 3U}}) {
    const std::vector<Link> cut = *CutLinks(sides, /*client=*/0, MakeNemesisTestPlan(1s), random);
    EXPECT_EQ(cut.size(), 4 * count);
    for (int client = 1; client <= 4; ++client) {
      EXPECT_EQ(NodesCutFromClient(client, cut), NodesCutFromClient(1, cut));
      EXPECT_EQ(NodesCutFromClient(client, cut).size(), count);
    }
  }
}

TEST(CutLinks, ARingLeavesEachClientADifferentMajority) {
  Prng random(1, "sides");
  const std::vector<Link> cut = *CutLinks("ring", /*client=*/0, MakeNemesisTestPlan(1s), random);
  EXPECT_EQ(NodesCutFromClient(1, cut), (std::vector<int>{4, 5}));
  EXPECT_EQ(NodesCutFromClient(2, cut), (std::vector<int>{1, 5}));
  EXPECT_EQ(NodesCutFromClient(4, cut), (std::vector<int>{2, 3}));
}

TEST(CutLinks, ForOneClientCutOnlyItsLinks) {
  Prng random(1, "sides");
  const std::vector<Link> cut =
      *CutLinks("minority", /*client=*/3, MakeNemesisTestPlan(1s), random);
  EXPECT_EQ(cut.size(), 2u);
  EXPECT_EQ(NodesCutFromClient(3, cut).size(), 2u);
  EXPECT_EQ(CutLinks("ring", 0, MakeNemesisTestPlan(1s, 1, /*nodes=*/2), random).error().message,
            "'ring' needs 3 nodes or more, not 2: use 'nodes' instead");
}

}  // namespace
}  // namespace doublehold
