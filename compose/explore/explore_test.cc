// Tests that the search finds the known answers that need one fault, and that the same choices give
// the same execution.
#include "compose/explore/explore.h"

#include <gtest/gtest.h>

#include "checker/judge.h"
#include "compose/driver/driver.h"
#include "compose/explore/replay_string.h"
#include "compose/explore/testing_explore.h"
#include "lib/base/words.h"
#include "lib/testing/case_name.h"

namespace doublehold {
namespace {

Plan MakeExplorePlan(const std::string& lock, int clients = 2,
                     const std::map<std::string, std::string>& more = {}) {
  Settings settings;
  settings.Set("lock.name", lock, "test");
  settings.Set("lock.lease", "400ms", "test");
  settings.Set("retry.interval", "0.2 lease", "test");
  settings.Set("retry.timeout", "4 lease", "test");
  settings.Set("workload.clients", std::to_string(clients), "test");
  settings.Set("workload.stock", "5", "test");
  settings.Set("workload.work", "0.5 lease", "test");
  settings.Set("workload.work-distribution", "fixed", "test");
  settings.Set("workload.think", "0s", "test");
  for (const auto& [name, value] : more) {
    if (name == "claims") {
      settings.SetList(name, SplitAtCommas(value), "test");
    } else {
      settings.Set(name, value, "test");
    }
  }
  Result<Plan> plan = BuildPlan(std::move(settings));
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
  return *plan;
}

Explored ExploreFaults(const Plan& plan, const std::vector<FaultForm>& faults, int depth = 1,
                       int cycles = 1) {
  return Explore(ScenarioOf(plan, cycles, faults), {.depth = depth}, [](const Explored&) {});
}

struct Known {
  const char* id;
  const char* lock;
  std::vector<FaultForm> faults;
  const char* violated;
  std::map<std::string, std::string> more{};
  int clients = 2;
  int cycles = 1;
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.id << " " << known.lock; }

class KnownByOneFault : public ::testing::TestWithParam<Known> {};

TEST_P(KnownByOneFault, IsFoundWithoutHints) {
  const Known& known = GetParam();
  const Explored explored =
      ExploreFaults(MakeExplorePlan(known.lock, known.clients, known.more), known.faults,
                    /*depth=*/1, known.cycles);
  EXPECT_TRUE(explored.is_complete);
  EXPECT_EQ(explored.cut_off, 0);
  EXPECT_EQ(Violated(explored), known.violated);
}

constexpr auto kN = FaultForm::kHoldRequest;
const std::map<std::string, std::string> kExploreFive{{"topology.nodes", "5"}};

// Each row has the exact set of claims that executions with at most one fault violate. A pause, a
// held message and a clock jump last 1.6 leases.
INSTANTIATE_TEST_SUITE_P(
    Each, KnownByOneFault,
    ::testing::Values(
        Known{"C03", "set-nx-px", {}, ""}, Known{"C03", "setnx-getset", {}, ""},
        Known{"C04", "none", {}, "exclusion lease-exclusion stock"},
        Known{"K01", "setnx-expire", {FaultForm::kCrash}, "liveness"},
        Known{"K02",
              "setnx-getset",
              {},
              "exclusion lease-exclusion release stock",
              {{"lock.finally-releases", "true"}, {"retry.timeout", "0.1 lease"}},
              3,
              2},
        Known{"K03",
              "set-nx-px-del",
              {FaultForm::kPause},
              "exclusion lease-exclusion release stock",
              {},
              2,
              2},
        Known{"K04",
              "setnx-getset-expired",
              {FaultForm::kPause},
              "exclusion lease-exclusion release stock",
              {},
              2,
              2},
        Known{"K05",
              "setnx-getset-expired",
              {kN},
              "exclusion lease-exclusion release stock",
              {},
              2,
              2},
        Known{"K06", "set-nx-px-get-del", {kN}, "exclusion lease-exclusion stock", {}, 4, 2},
        Known{"K08",
              "setnx-getset",
              {FaultForm::kClientClock},
              "exclusion lease-exclusion release stock"},
        Known{"K08",
              "setnx-getset-expired",
              {FaultForm::kClientClock},
              "exclusion lease-exclusion release stock"},
        // The client's clock is behind from the start, so the expiry time that the client writes
        // has already passed.
        Known{"K08-back",
              "setnx-getset",
              {FaultForm::kClientClockBack},
              "exclusion lease-exclusion stock"},
        Known{"K10",
              "setnx-getset-expired",
              {FaultForm::kCrash},
              "liveness",
              {{"lock.form", "blocking"}}},
        Known{"K11", "setnx-getset", {FaultForm::kCrash}, ""},
        Known{"K14", "set-nx-px", {FaultForm::kPause}, "exclusion stock"},
        Known{"K15", "set-nx-px", {kN}, "exclusion stock"},
        // A lost reply to SET is harmless (K16). A lost reply of the store makes its client wait
        // past its lease.
        Known{"K16", "set-nx-px", {FaultForm::kDropReply}, "exclusion"},
        Known{"K17", "set-nx-px", {FaultForm::kNodeClock}, "exclusion lease-exclusion stock"},
        Known{"K17", "redisson", {FaultForm::kNodeClock}, "exclusion lease-exclusion stock"},
        Known{"K18", "set-nx-px", {FaultForm::kRestartEmpty}, "exclusion lease-exclusion stock"},
        Known{"K18", "redisson", {FaultForm::kRestartEmpty}, "exclusion lease-exclusion stock"},
        Known{"K21",
              "redisson",
              {FaultForm::kDropReply},
              "reentry",
              {{"lock.resend", "true"}, {"claims", "exclusion,reentry,liveness,stock"}}},
        Known{"K21",
              "redisson",
              {FaultForm::kDropReply},
              "",
              {{"claims", "exclusion,reentry,liveness,stock"}}},
        Known{"K22",
              "redisson",
              {FaultForm::kDropRequest},
              "exclusion stock",
              {{"lock.renew-once", "true"}, {"workload.work", "1.5 lease"}}},
        Known{"K22", "redisson", {FaultForm::kDropRequest}, "", {{"workload.work", "1.5 lease"}}},
        Known{"K24", "redlock", {FaultForm::kPause}, "exclusion stock", kExploreFive},
        Known{
            "K34", "fenced", {FaultForm::kRestartEmpty}, "exclusion lease-exclusion fencing stock"},
        Known{"K36", "watch", {FaultForm::kDropReply}, "stock"},
        Known{"K36", "watch", {FaultForm::kResetReply}, "stock"},
        Known{"K36", "watch", {FaultForm::kResetRequest}, ""},
        Known{"C02", "redlock", {FaultForm::kNodePause}, "", kExploreFive},
        Known{
            "C05", "redlock", {FaultForm::kNodeClock, FaultForm::kRestartEmpty}, "", kExploreFive},
        Known{"C01", "atomic-script", {FaultForm::kPause, kN, FaultForm::kNodeClock}, ""},
        Known{"C01", "version", {FaultForm::kPause, kN, FaultForm::kNodeClock}, ""},
        Known{"C01", "watch", {FaultForm::kPause, kN, FaultForm::kNodeClock}, ""},
        // A command is held for longer than its client waits. Then it arrives in the transaction to
        // which it belongs.
        Known{"C01", "watch", {kN}, "", {{"workload.store-timeout", "0.5 lease"}}}),
    testing::CaseName());

TEST(Explore, TheSameChoicesGiveTheSameExecution) {
  const Scenario scenario =
      ScenarioOf(MakeExplorePlan("set-nx-px", 3), 2, {FaultForm::kPause, FaultForm::kHoldReply});
  for (const char* text : {"", "3:1", "5:1-11:1"}) {
    const sim::Deviations choices = *sim::ParseDeviations(text);
    sim::GivenChoices once(choices), again(choices);
    const Execution first = Simulate(scenario, once);
    const Execution second = Simulate(scenario, again);
    EXPECT_TRUE(once.Fits());
    EXPECT_EQ(first.history.events, second.history.events) << text;
    EXPECT_EQ(first.history.facts, second.history.facts) << text;
    EXPECT_GT(first.history.events.size(), 20u);
  }
}

// With one kind of fault, each question allows one placement. A second fault is placed at the
// questions after the first fault.
TEST(Explore, EveryPlacementIsRunOnce) {
  const Scenario scenario = ScenarioOf(MakeExplorePlan("set-nx-px"), 1, {FaultForm::kDropReply});
  const auto open_after = [&](const sim::Deviations& deviations) {
    sim::GivenChoices choices(deviations);
    Simulate(scenario, choices);
    return choices.open();
  };
  const auto first = open_after({});
  auto executions = static_cast<int64_t>(1 + first.size());
  EXPECT_EQ(Explore(scenario, {.depth = 1}, [](const Explored&) {}).executions, executions);
  for (const auto& question : first)
    executions += static_cast<int64_t>(open_after({{.at = question.at, .choice = 1}}).size());
  EXPECT_EQ(Explore(scenario, {.depth = 2}, [](const Explored&) {}).executions, executions);
}

TEST(Explore, AFaultOccursAtMostAsOftenAsItsLimit) {
  const Scenario scenario =
      ScenarioOf(MakeExplorePlan("set-nx-px"), 1, {FaultForm::kDropReply, FaultForm::kPause});
  const auto count = [&](std::map<FaultForm, int> most) {
    return Explore(scenario, {.depth = 2, .most = std::move(most)}, [](const Explored&) {})
        .executions;
  };
  const int64_t all = count({});
  const int64_t one_each = count({{FaultForm::kDropReply, 1}, {FaultForm::kPause, 1}});
  EXPECT_LT(one_each, all);
  EXPECT_LT(count({{FaultForm::kDropReply, 1}}), all);
  EXPECT_GT(count({{FaultForm::kDropReply, 1}}), one_each);
}

TEST(Explore, EndsAtItsBudget) {
  const Scenario scenario = ScenarioOf(MakeExplorePlan("set-nx-px"), 1, {FaultForm::kDropReply});
  const Explored explored =
      Explore(scenario, {.depth = 1, .executions = 3}, [](const Explored&) {});
  EXPECT_EQ(explored.executions, 3);
  EXPECT_FALSE(explored.is_complete);
}

TEST(ReplayString, ReplaysTheSameViolation) {
  const Plan plan = MakeExplorePlan("set-nx-px");
  const Explored explored = ExploreFaults(plan, {FaultForm::kPause});
  const Found& exclusion = explored.claims.front();
  ASSERT_EQ(exclusion.claim, "exclusion");
  ASSERT_EQ(exclusion.shortest.size(), 1u);
  const Scenario scenario = ScenarioOf(plan, 1, {FaultForm::kPause});
  sim::GivenChoices choices(exclusion.shortest);
  const RunVerdict verdict = Judge(Simulate(scenario, choices).history);
  EXPECT_EQ(verdict.claims.front().outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.claims.front().violations.front().sentence, exclusion.sentence);
}

TEST(ReplayString, OmitsTheNameAndTheExpectations) {
  ReplayString replay{.cycles = 1, .faults = {FaultForm::kPause}};
  replay.settings.Set("lock.name", "none", "test");
  replay.settings.Set("name", "a/b;c", "test");
  replay.settings.Set("expect.exclusion", "violated", "test");
  replay.settings.Set("expect_cause.exclusion", "stopped", "test");
  EXPECT_EQ(ToText(replay), "v1/lock.name=none/1/pause/");
}

TEST(ReplayString, IsReadAsWritten) {
  ReplayString replay{.cycles = 2, .faults = {FaultForm::kPause, FaultForm::kRestartEmpty}};
  replay.settings.Set("lock.name", "set-nx-px", "test");
  replay.settings.Set("workload.clients", "2", "test");
  replay.choices = *sim::ParseDeviations("3:1-9:2");
  for (const bool reorders : {false, true}) {
    replay.reorders = reorders;
    const std::string text = ToText(replay);
    const Result<ReplayString> read = ParseReplayString(text);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(ToText(*read), text);
  }
  EXPECT_EQ(ToText(replay),
            "v1/lock.name=set-nx-px;workload.clients=2/2/pause,restart-empty,order/3:1-9:2");
}

TEST(ReplayString, AnInvalidReplayStringIsRefusedWithTheReason) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"v1/lock.name=none", "2 parts between slashes and needs 5"},
      {"v2/lock.name=none/1//", "a replay string of version v2"},
      {"v1/lock.name/1//", "'lock.name' of the replay string is not of the form name=value"},
      {"v1/lock.name=none/0//", "cycles of the replay string: '0' is not a number of at least 1"},
      {"v1/lock.name=none;lock.name=redlock/1//", "the replay string: 'lock.name' is given twice"},
      {"v1/lock.name=none/1/pause,pause/0:2", "fault 'pause' is named twice"},
      {"v1/lock.name=none/1/puase/", "(did you mean 'pause'?)"},
      {"v1/lock.name=none/1/pause/1:0", "'1:0' is not a list of choices"},
      {"v1/lock.name=none/1/pause/3", "copy the whole string that explore printed"},
  };
  for (const auto& each : cases) {
    const Result<ReplayString> read = ParseReplayString(each.text);
    ASSERT_FALSE(read.has_value()) << each.text;
    EXPECT_NE(read.error().message.find(each.why), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace doublehold
