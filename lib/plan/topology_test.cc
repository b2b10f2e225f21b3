#include "lib/plan/topology.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(Topology, ReplicasAreNumberedAfterTheMastersMasterByMaster) {
  Plan plan;
  plan.topology = "cluster";
  plan.nodes = 3;
  plan.replicas = 2;
  EXPECT_EQ(ServersOf(plan), 9);
  EXPECT_EQ(LockNodesOf(plan), 1);
  const int masters[] = {1, 2, 3, 1, 1, 2, 2, 3, 3};
  for (int server = 1; server <= 9; ++server)
    EXPECT_EQ(MasterOf(plan, server), masters[server - 1]);
}

TEST(Topology, ALockSeesIndependentNodesSeparately) {
  Plan plan;
  plan.topology = "independent";
  plan.nodes = 5;
  EXPECT_EQ(ServersOf(plan), 5);
  EXPECT_EQ(LockNodesOf(plan), 5);
  EXPECT_EQ(MasterOf(plan, 5), 5);
}

TEST(Topology, WrongSizesNameTheSettingAtFault) {
  const struct {
    const char* name;
    int nodes, replicas;
    bool direct;
    const char* setting;
  } cases[] = {
      {"single", 1, 0, true, ""},
      {"single", 2, 0, false, "name"},
      {"single", 1, 1, false, "replicas"},
      {"independent", 15, 0, false, ""},
      {"replicated", 1, 4, false, ""},
      {"replicated", 2, 1, false, "nodes"},
      {"replicated", 1, 0, false, "replicas"},
      {"replicated", 1, 5, false, "replicas"},
      {"sentinel", 1, 1, true, "direct"},
      {"cluster", 3, 1, false, ""},
      {"cluster", 2, 1, false, "nodes"},
      {"cluster", 6, 1, false, "nodes"},
  };
  for (const auto& c : cases) {
    Plan plan;
    plan.topology = c.name;
    plan.nodes = c.nodes;
    plan.replicas = c.replicas;
    plan.direct = c.direct;
    const Incompatibility incompatibility = WhyWrongSize(plan);
    EXPECT_EQ(incompatibility.setting, c.setting) << c.name << " " << c.nodes << " " << c.replicas;
    EXPECT_EQ(incompatibility.why.empty(), incompatibility.setting.empty());
  }
}

}  // namespace
}  // namespace doublehold
