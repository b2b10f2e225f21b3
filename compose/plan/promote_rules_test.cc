// Tests that a plan may promote a replica but not the current master.
#include <gtest/gtest.h>

#include "compose/testing/plan_testing.h"

namespace doublehold {
namespace {

using testing::Good;
using testing::kLock;
using testing::Refusal;

TEST(BuildPlan, RefusesToPromoteTheMaster) {
  const auto in = [](const std::string& topology) {
    return kLock + "[topology]\nreplicas = 2\nname = \"" + topology + "\"\n";
  };  // [topology] is lines 3 to 5
  const auto promote = [](const std::string& node, const std::string& rest = "") {
    return "[[fault]]\nkind = \"promote\"\nnodes = [" + node + "]\n" + rest;
  };
  const std::string planned = "how = \"planned\"\n";
  const std::string later = "from = \"1s\"\n";
  const std::string reason =
      "x.toml:8: fault.0.nodes: fault 'promote-1': node 1 is the master already; "
      "name a replica: 2, 3";
  EXPECT_EQ(Refusal(in("replicated") + promote("1")), reason);
  EXPECT_EQ(Refusal(in("replicated") + promote("1") + promote("2", later)), reason);
  EXPECT_EQ(Refusal(in("sentinel") + promote("1", planned)), reason);
  EXPECT_EQ(Refusal(in("cluster") + promote("3", planned)),
            "x.toml:8: fault.0.nodes: fault 'promote-1': node 3 is the master already; name a "
            "replica: 8, 9");
  // Another node may be the master when the fault begins. With sentinels, any earlier fault may
  // cause a failover.
  Good(in("replicated") + promote("2") + promote("1", later));
  Good(in("replicated") + promote("2", later) + promote("1", "on = \"client 1 holds\"\n"));
  Good(in("sentinel") + "[[fault]]\nkind = \"pause\"\nnodes = [1]\nfor = \"1s\"\n" +
       promote("1", planned + later));
}

}  // namespace
}  // namespace doublehold
