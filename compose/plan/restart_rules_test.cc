// Tests the rules for restarts in a plan, and redlock's restart-delay.
#include "compose/plan/restart_rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compose/plan/node_data.h"
#include "compose/plan/plan_builder.h"
#include "compose/testing/plan_testing.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

using testing::Built;

// Returns the error message without the place.
std::string RefusalWithoutPlace(const std::string& toml) {
  const Result<Plan> plan = Built(toml);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, ExitCode::kBadInput);
  const std::string& message = plan.error().message;
  EXPECT_TRUE(message.starts_with("x.toml:")) << message;
  const std::string rest = message.substr(message.find(": ") + 2);
  return rest.starts_with("fault.0.") ? rest.substr(rest.find(": ") + 2) : rest;
}

std::string Redlock(const std::string& delay) {
  return fmt::format("[lock]\nname = \"redlock\"\nlease = \"400ms\"\nrestart-delay = \"{}\"\n",
                     delay);
}
std::string Fault(const std::string& kind, const std::string& rest) {
  return fmt::format("[[fault]]\nkind = \"{}\"\n{}\n", kind, rest);
}
const std::string kRestartRulesLock = "[lock]\nname = \"set-nx-px\"\n";

TEST(RestartDelay, IsLongerThanTheLeaseOrAbsent) {
  EXPECT_EQ(RefusalWithoutPlace(Redlock("0s")), "accepted");
  EXPECT_EQ(RefusalWithoutPlace(Redlock("1.5 lease")), "accepted");
  EXPECT_EQ(RefusalWithoutPlace(Redlock("400ms")),
            "lock.restart-delay: restart-delay is 400ms, no longer than the lease (400ms): a node "
            "that restarts before its grants have ended can grant the lock again");
}

TEST(RestartDelay, IsTheMinimumTimeThatANodeIsDown) {
  const std::string restarts = Fault("restart", "nodes = [3]") +
                               Fault("restart", "nodes = [4]\nfor = \"900ms\"") +
                               Fault("restart", "nodes = [\"store\"]\nfor = \"10ms\"") +
                               Fault("pause", "nodes = [2]\nfor = \"50ms\"");
  const Result<Plan> plan = Built(Redlock("600ms") + restarts);
  ASSERT_TRUE(plan) << plan.error().message;
  std::vector<Duration> lengths;
  for (const FaultPlan& fault : plan->faults) lengths.push_back(fault.length);
  EXPECT_EQ(lengths, (std::vector<Duration>{600ms, 900ms, 10ms, 50ms}));
  EXPECT_EQ(Built(Redlock("0s") + restarts)->faults[0].length, Duration::zero());
}

TEST(RestartDelay, IsAppliedToAPlanFromAFile) {
  Plan plan = *Built(Redlock("600ms") + Fault("restart", "name = \"r\"\nnodes = [3]"));
  plan.faults[0].length = 100ms;
  const Result<void> checked = CheckPlan(plan, "plan.json");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "plan.json: fault 'r': its nodes are back after 100ms, before the lock's restart-delay "
            "of 600ms");
  plan.faults.clear();
  plan.lock_options["restart-delay"] = "100ms";
  EXPECT_FALSE(CheckPlan(plan, "plan.json"));
}

struct Refused {
  std::string toml;
  std::string message;
};

TEST(Restarts, AreRefusedIfTheNodesCannotDoThem) {
  const Refused cases[] = {
      {Fault("restart", "name = \"r\"\nnodes = [2]"),
       "fault 'r': node 2 does not exist: the run has nodes 1..1"},
      {Fault("restart", "name = \"r\"\nnodes = [1]\nuntil = \"client 1 after-read\""),
       "fault 'r': it ends by itself: remove 'until'"},
      {Fault("restart", "nodes = [1]\ndata = \"rdb\""),
       "fault 'restart-1': node 1 is restarted with data rdb, but no fault of kind 'snapshot' "
       "writes one (use data = \"empty\"?)"},
      {Fault("restart", "nodes = [\"store\"]\ndata = \"rdb\"") +
           Fault("restart", "nodes = [\"store\"]\ndata = \"aof\"") +
           Fault("snapshot", "nodes = [\"store\"]"),
       "fault 'restart-1': the store is restarted with data rdb and with data aof: use one of the "
       "two"},
      {Fault("delete-key", "name = \"d\"\nnodes = [1]\nkey = \"dh:itm:0\""),
       "fault 'd': key 'dh:itm:0' is unknown (did you mean 'dh:item:0'?)"},
      {Fault("crash", "name = \"c\"\nnodes = [6]"),
       "fault 'c': node 6 does not exist: the run has nodes 1..1"},
  };
  for (const Refused& refused : cases)
    EXPECT_EQ(RefusalWithoutPlace(kRestartRulesLock + refused.toml), refused.message);
}

TEST(Restarts, MissingDataIsAnErrorAtItsSetting) {
  const Result<Plan> plan = Built(kRestartRulesLock + Fault("pause", "nodes = [1]\nfor = \"1s\"") +
                                  Fault("restart", "nodes = [1]\nfor = \"1s\"\ndata = \"rdb\""));
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().message.starts_with("x.toml:11: fault.1.data: fault 'restart-2': "))
      << plan.error().message;
}

TEST(Restarts, TheDefaultKeyOfAFaultIsTheLocksKey) {
  EXPECT_EQ(Built(kRestartRulesLock + Fault("delete-key", "nodes = [1]"))->faults[0].key,
            "dh:item:0");
  EXPECT_EQ(Built(kRestartRulesLock + Fault("evict", "nodes = [1]\nkey = \"{dh:item:0}:token\""))
                ->faults[0]
                .key,
            "{dh:item:0}:token");
}

TEST(NodeData, IsKeptOnlyWhereARestartNeedsIt) {
  const Plan plan =
      *Built(kRestartRulesLock + Fault("restart", "nodes = [1]\ndata = \"aof-cut\"\ncut = \"1s\"") +
             Fault("restart", "nodes = [1]\ndata = \"aof\"") + Fault("snapshot", "nodes = [1]"));
  EXPECT_TRUE(NodeDataFor(plan, 1).log);
  EXPECT_FALSE(NodeDataFor(plan, 1).snapshot);
  EXPECT_EQ(NodeDataFor(plan, 1).longest_cut, 1s);
  EXPECT_FALSE(NodeDataFor(plan, kStoreNode).log);
}

TEST(NodeData, IsKeptByEveryServerThatMayLead) {
  const Plan plan = *Built(kRestartRulesLock + "[topology]\nname = \"sentinel\"\n" +
                           Fault("restart", "nodes = \"leader\"\ndata = \"aof\""));
  for (int node = 1; node <= ServersOf(plan); ++node) EXPECT_TRUE(NodeDataFor(plan, node).log);
  EXPECT_FALSE(NodeDataFor(plan, kStoreNode).log);
  const std::string snapshot = Fault("restart", "nodes = \"leader\"\ndata = \"rdb\"");
  EXPECT_FALSE(Built(kRestartRulesLock + "[topology]\nname = \"sentinel\"\n" + snapshot +
                     Fault("restart", "nodes = [2]\ndata = \"aof\"") +
                     Fault("snapshot", "nodes = \"all\"")));
}

MonoTime AtMs(int64_t ms) { return MonoTime(std::chrono::milliseconds(ms)); }

TEST(LogGrowth, ReturnsTheLengthOfALogAtATime) {
  LogGrowth growth(30ms);
  EXPECT_EQ(growth.BytesAt(AtMs(5)), 0u);
  for (const auto& [at_ms, bytes] : {std::pair(10, 100), {15, 100}, {20, 150}, {40, 200}}) {
    growth.Add(AtMs(at_ms), static_cast<uintmax_t>(bytes));
  }
  EXPECT_EQ(growth.BytesAt(AtMs(9)), 0u) << "it was not looked at";
  EXPECT_EQ(growth.BytesAt(AtMs(19)), 100u);
  EXPECT_EQ(growth.BytesAt(AtMs(20)), 150u);
  EXPECT_EQ(growth.BytesAt(AtMs(39)), 150u);
  EXPECT_EQ(growth.BytesAt(AtMs(1000)), 200u);
  growth.Add(AtMs(100), 300);
  EXPECT_EQ(growth.BytesAt(AtMs(70)), 200u) << "what the longest cut may need stays";
}

}  // namespace
}  // namespace doublehold
