#include "compose/plan/plan_builder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compose/testing/plan_testing.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

using testing::Built;
using testing::Good;

const std::string kPlanBuilderLock = "[lock]\nname = \"set-nx-px\"\n";  // two lines

TEST(BuildPlan, NeedsNothingButALock) {
  const Plan plan = Good("lock.name = \"set-nx-px\"\n");
  EXPECT_EQ(plan.experiment, "run");
  EXPECT_EQ(plan.seed, 1u);
  EXPECT_EQ(plan.lease, 500ms);
  EXPECT_EQ(plan.call_timeout, 500ms);
  EXPECT_EQ(plan.topology, "single");
  EXPECT_EQ(plan.nodes, 1);
  EXPECT_EQ(plan.clients, 4);
  EXPECT_EQ(plan.workload, "inventory");
  EXPECT_EQ(plan.workload_options.at("stock"), "100000");
  EXPECT_EQ(plan.duration, 5s);
  EXPECT_EQ(plan.grace, 500ms);
  EXPECT_EQ(plan.claims, (std::vector<std::string>{"exclusion", "lease-exclusion", "release",
                                                   "stock", "liveness"}));
  EXPECT_TRUE(plan.faults.empty());
  EXPECT_TRUE(plan.expect.empty());
}

TEST(BuildPlan, TheProfileNoneHasNoFaults) {
  for (const char* faults : {"faults = \"none\"\n", "faults = [\"none\"]\n", "faults = []\n"}) {
    const Plan plan = Good(faults + kPlanBuilderLock + "lease = \"20s\"\n");
    EXPECT_TRUE(plan.faults.empty()) << faults;
    EXPECT_EQ(plan.duration, 5s) << faults;
  }
}

TEST(BuildPlan, ADriverIsAlsoJudgedByItsTimeoutsAndWhereALossIsCertainByItsReleases) {
  const auto added = [](const std::string& toml, const std::vector<std::string>& can) {
    Settings settings = *Settings::ParseToml("lock.driver = \"mine\"\n" + toml, "x.toml");
    const Result<Plan> plan = BuildPlan(std::move(settings), [&](const auto&, const auto&) {
      return DriverPlan{.command = "mine", .name = "mine", .version = "1", .can = can};
    });
    EXPECT_TRUE(plan.has_value()) << plan.error().message;
    std::vector<std::string> claims;
    for (const std::string claim : {"release-result", "call-timeout", "key-leak"}) {
      if (std::ranges::find(plan->claims, claim) != plan->claims.end()) claims.push_back(claim);
    }
    return claims;
  };
  using Claims = std::vector<std::string>;
  EXPECT_EQ(added("", {"lease"}), (Claims{"release-result", "call-timeout"}));
  EXPECT_EQ(added("topology.nodes = 3\n", {"lease"}), Claims{"call-timeout"});
  EXPECT_EQ(added("", {"lease", "silent-release"}), Claims{"call-timeout"});
  EXPECT_EQ(added("", {"blind-release", "lease"}), Claims{"call-timeout"});
  EXPECT_EQ(added("workload.name = \"cycle\"\n", {"lease"}), Claims{}) << "not its claims";
  EXPECT_EQ(added("claims = [\"exclusion\"]\n", {"lease"}), Claims{}) << "others were asked for";
}

TEST(BuildPlan, AQuorumLockHasFiveNodesByDefault) {
  EXPECT_EQ(Good("lock.name = \"redlock\"\n").nodes, 5);
  EXPECT_EQ(Good("lock.name = \"redlock\"\n").topology, "independent");
  EXPECT_EQ(Good("lock.name = \"redlock\"\ntopology.nodes = 3\n").nodes, 3);
}

TEST(BuildPlan, UsesTheTimesOfTheSourceIfPaceIsSource) {
  const auto at_source = [](const std::string& lock, const std::string& more = "") {
    return Good("[lock]\nname = \"" + lock + "\"\npace = \"source\"\n" + more);
  };
  const Plan getset = at_source("setnx-getset");
  EXPECT_EQ(getset.lease, 10s);
  EXPECT_EQ(getset.retry.interval, 50ms);
  EXPECT_EQ(getset.retry.jitter, 0);
  EXPECT_EQ(getset.retry.retries, 21);
  const Plan px = at_source("set-nx-px", "lease = \"1s\"\n[retry]\ninterval = \"30ms\"\n");
  EXPECT_EQ(px.lease, 1s) << "what is set stays";
  EXPECT_EQ(px.retry.interval, 30ms);
  EXPECT_EQ(px.retry.timeout, 5s);
  EXPECT_EQ(at_source("redisson").lease, 30s);
  EXPECT_EQ(Good("lock.name = \"setnx-getset\"\n").lease, 500ms) << "only where asked for";
  const Result<Plan> none = Built("[lock]\nname = \"fenced\"\npace = \"source\"\n");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message,
            "x.toml:3: lock.pace: the source of lock 'fenced' names no times; use 'scaled'");
}

TEST(BuildPlan, DefaultsFollowTheLease) {
  const Plan plan =
      Good("[lock]\nname = \"redlock\"\nlease = \"2s\"\n[workload]\nwork = \"0.5 lease\"\n");
  EXPECT_EQ(plan.call_timeout, 2s);
  EXPECT_EQ(plan.grace, 2s);
  EXPECT_EQ(plan.retry.interval, 40ms);
  EXPECT_EQ(plan.retry.timeout, 20s);
  EXPECT_EQ(plan.lock_options.at("node-timeout"), "120000000");
  EXPECT_EQ(plan.workload_options.at("work"), "1000000000");
}

TEST(BuildPlan, AProfileIsTimedByTheLeaseAndTheDuration) {
  const Plan plan = Good("faults = \"pause,clock\"\n" + kPlanBuilderLock);
  ASSERT_GE(plan.faults.size(), 3u);
  EXPECT_EQ(plan.faults[0].kind, "pause");
  EXPECT_EQ(plan.faults[0].length, 800ms);
  EXPECT_GT(plan.faults[0].times, 1);
  for (const FaultPlan& fault : plan.faults) {
    EXPECT_LT(fault.from + fault.every * (fault.times - 1) + fault.length, plan.duration);
  }
}

TEST(BuildPlan, ALongLeaseMakesARunWithProfilesLonger) {
  EXPECT_EQ(Good(kPlanBuilderLock + "lease = \"30s\"\n").duration, 5s);
  const std::string faults = "faults = [\"pause\", \"clock\"]\n" + kPlanBuilderLock;
  EXPECT_EQ(Good(faults).duration, 5s);
  EXPECT_EQ(Good(faults + "lease = \"30s\"\n").duration, 186s);
}

TEST(BuildPlan, EverySettingOfAFaultIsRead) {
  const Plan plan = Good(R"(
[lock]
name = "redlock"
[workload]
duration = "9s"
[[fault]]
kind = "hold"
name = "held"
client = 1
nodes = ["store", 2]
direction = "request"
command = "set"
count = 2
on = "client 1 before-write"
from = "300ms"
every = "2s"
times = 3
for = "1.6 lease"
during = "cut"
[[fault]]
kind = "partition"
name = "cut"
nodes = "majority"
from = "1s"
until = "end of held"
[[fault]]
kind = "jump"
nodes = "all"
by = "1.5 lease"
on = "any after-acquire"
until = "client 2 after-release"
[[fault]]
kind = "drift"
client = 3
rate = 1.25
for = "1s"
)");
  ASSERT_EQ(plan.faults.size(), 4u);
  FaultPlan held{.name = "held", .kind = "hold"};
  held.from = 300ms;
  held.on = Trigger{.client = 1, .step = Step::kBeforeWrite};
  held.every = 2s;
  held.times = 3;
  held.length = 800ms;
  held.during = "cut";
  held.client = 1;
  held.nodes = {kStoreNode, 2};
  held.direction = "request";
  held.command = "SET";
  held.count = 2;
  EXPECT_EQ(plan.faults[0], held);
  FaultPlan cut{.name = "cut", .kind = "partition"};
  cut.from = 1s;
  cut.until_fault = FaultMoment{.fault = "held", .ended = true};
  cut.nodes = {1, 2, 3};
  EXPECT_EQ(plan.faults[1], cut);
  FaultPlan jump{.name = "jump-3", .kind = "jump"};
  jump.on = Trigger{.client = 0, .step = Step::kAfterAcquire};
  jump.until = Trigger{.client = 2, .step = Step::kAfterRelease};
  jump.nodes = {1, 2, 3, 4, 5};
  jump.by = 750ms;
  EXPECT_EQ(plan.faults[2], jump);
  FaultPlan drift{.name = "drift-4", .kind = "drift"};
  drift.client = 3;
  drift.rate = 1.25;
  drift.length = 1s;
  EXPECT_EQ(plan.faults[3], drift);
}

// The example in CONTRIBUTING.md is like this one.
TEST(BuildPlan, HoldsIsTheStepAfterAcquireAndANumberCountsTheTimes) {
  const Plan plan = Good(R"(
lock.name = "set-nx-px"
[[fault]]
kind = "pause"
name = "stopped"
on = "client 1 holds"
until = "client 2 holds 5"

[[fault]]
kind = "jump"
nodes = [1]
by = "-2 lease"
on = "client 1 holds"
during = "stopped"
for = "0.5 lease"
)");
  ASSERT_EQ(plan.faults.size(), 2u);
  EXPECT_EQ(plan.faults[0].on, (Trigger{1, Step::kAfterAcquire}));
  EXPECT_EQ(plan.faults[0].until, (Trigger{2, Step::kAfterAcquire, 5}));
  EXPECT_EQ(plan.faults[1].by, -1s);
  EXPECT_EQ(plan.faults[1].during, "stopped");
}

TEST(BuildPlan, TheDefaultOfWriteIsTheWayThatTheLockNeeds) {
  const auto write = [](const std::string& toml) {
    return Good(toml).workload_options.at("write");
  };
  EXPECT_EQ(write("lock.name = \"watch\"\n"), "watch");
  EXPECT_EQ(write("lock.name = \"fenced\"\n"), "fenced");
  EXPECT_EQ(write("lock.name = \"set-nx-px\"\n"), "read-modify-write");
  EXPECT_EQ(write("lock.name = \"set-nx-px\"\nworkload.write = \"watch\"\n"), "watch")
      << "belt and braces";
}

TEST(CheckPlan, AcceptsEveryPlanThatWasBuilt) {
  for (const char* lock : {"none", "setnx-getset", "set-nx-px", "redisson", "redlock"}) {
    const Plan plan =
        Good(std::string("faults = \"network,pause,clock\"\nlock.name = \"") + lock + "\"\n");
    const Result<Plan> read = PlanFromJson(ToJson(plan), "p.json");
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, plan);
    const Result<void> checked = CheckPlan(*read, "p.json");
    EXPECT_TRUE(checked.has_value()) << checked.error().message;
  }
}

TEST(FactsOf, ReturnsTheFactsThatTheCheckersNeed) {
  const RunFacts facts = FactsOf(
      Good("name = \"x\"\nseed = 5\nfaults = \"pause\"\nlock.name = \"redlock\"\n[workload]\nitems "
           "= 2\nstock = 3\nclients = 7\n[expect]\nstock = \"violated\"\n[expect_cause]\nstock = "
           "\"stopped, overran\"\n"));
  EXPECT_EQ(facts.experiment, "x");
  EXPECT_EQ(facts.lock, "redlock");
  EXPECT_EQ(facts.workload, "inventory");
  EXPECT_EQ(facts.write, "read-modify-write");
  EXPECT_EQ(facts.seed, 5u);
  EXPECT_EQ(facts.lease, 500ms);
  EXPECT_EQ(facts.clients, 7);
  EXPECT_EQ(facts.nodes, 5);
  EXPECT_EQ(facts.initial_stock, 3);
  EXPECT_EQ(facts.keys, (std::vector<std::string>{"dh:item:0", "dh:item:1"}));
  ASSERT_EQ(facts.faults.size(), 1u);
  EXPECT_EQ(facts.faults[0].name, "stopped-client");
  EXPECT_EQ(facts.faults[0].kind, "pause");
  EXPECT_GT(facts.faults[0].planned, 1);
  EXPECT_EQ(facts.expect.at("stock"), "violated");
  EXPECT_EQ(facts.expect_cause.at("stock"), (std::vector<std::string>{"stopped", "overran"}));
}

TEST(FactsOf, MarksFaultsThatKeepAcknowledgedWrites) {
  const auto kept = [](const std::string& topology, const std::string& fault) {
    const RunFacts facts = FactsOf(Good("lock.name = \"set-nx-px\"\ntopology.name = \"" + topology +
                                        "\"\n[[fault]]\nfrom = \"500ms\"\n" + fault));
    return facts.faults.at(0).keeps_data;
  };
  const std::string restart = "kind = \"restart\"\nnodes = [1]\nfor = \"50ms\"\ndata = ";
  const std::string promote = "kind = \"promote\"\nnodes = [2]\nhow = ";
  EXPECT_TRUE(kept("replicated", restart + "\"aof\""));
  EXPECT_FALSE(kept("replicated", restart + "\"empty\""));
  EXPECT_TRUE(kept("replicated", promote + "\"planned\""));
  EXPECT_FALSE(kept("replicated", promote + "\"by-hand\""));
  // The sentinels do not wait until the replica has all writes.
  EXPECT_FALSE(kept("sentinel", promote + "\"planned\""));
  EXPECT_FALSE(kept("replicated", "kind = \"flush\"\nnodes = [1]\n"));
}

TEST(FactsOf, RecordsSendsOnceUnlessTheResendOptionIsOn) {
  for (const auto& [lock, sends_once] :
       {std::pair("lock.name = \"set-nx-px\"\n", true),
        std::pair("lock.name = \"redisson\"\n", true),
        std::pair("lock.name = \"redisson\"\nlock.resend = true\n", false)}) {
    EXPECT_EQ(FactsOf(Good(lock)).lock_traits->Has(LockTrait::kSendsOnce), sends_once) << lock;
  }
}

TEST(FactsOf, NamesTheKeyOfFaultsThatActOnOneKey) {
  const auto key = [](const std::string& kind) {
    return FactsOf(Good("lock.name = \"set-nx-px\"\n[[fault]]\nfrom = \"500ms\"\nnodes = [1]\nkind "
                        "= \"" +
                        kind + "\"\n"))
        .faults.at(0)
        .key;
  };
  EXPECT_EQ(key("delete-key"), "dh:item:0");
  EXPECT_EQ(key("evict"), "");  // Redis may evict other keys first
  EXPECT_EQ(key("flush"), "");
}

}  // namespace
}  // namespace doublehold
