// Tests that the cache returns the outcomes that the checkers return.
#include "compose/explore/judge_cache.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "checker/evidence/evidence.h"
#include "compose/driver/driver.h"
#include "compose/explore/explore.h"
#include "lib/sim/choices/random_walk.h"

namespace doublehold {
namespace {

Scenario SaleClaimJudge(const std::vector<FaultForm>& faults) {
  Settings settings;
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"lock.name", "set-nx-px"},
                                          {"lock.lease", "400ms"},
                                          {"retry.interval", "0.2 lease"},
                                          {"retry.timeout", "4 lease"},
                                          {"workload.clients", "2"},
                                          {"workload.stock", "5"},
                                          {"workload.work", "0.5 lease"},
                                          {"workload.work-distribution", "fixed"},
                                          {"workload.think", "0s"}})
    settings.Set(name, value, "test");
  const Result<Plan> plan = BuildPlan(std::move(settings));
  EXPECT_TRUE(plan.has_value());
  return ScenarioOf(*plan, 1, faults);
}

std::vector<Outcome> ByCheckers(const Scenario& scenario, const History& history) {
  std::vector<Outcome> outcomes;
  const Evidence evidence(history);
  for (const std::string& claim : scenario.plan.claims) {
    const auto entry = std::ranges::find(Checkers(), claim, &CheckerEntry::claim);
    outcomes.push_back(entry->check(evidence, {}).outcome);
  }
  return outcomes;
}

// Random walks often repeat an execution. Tests a cache that has room for all executions, and a
// cache with three entries.
TEST(ClaimJudge, ReturnsTheOutcomesOfTheCheckers) {
  const Scenario scenario =
      SaleClaimJudge({FaultForm::kPause, FaultForm::kCrash, FaultForm::kRestartEmpty});
  for (const size_t remembered : {4096u, 3u}) {
    ClaimJudge judge(scenario.plan.claims, remembered);
    sim::RandomWalk walk({.seed = 1, .faults = 1, .fault_questions = 40});
    bool violated = false;
    for (uint64_t number = 0; number < 300; ++number) {
      walk.Begin(number);
      const Execution execution = Simulate(scenario, walk);
      const std::vector<Outcome> expected = ByCheckers(scenario, execution.history);
      EXPECT_EQ(judge.Judge(execution.history).outcomes, expected) << ToText(walk.deviations());
      violated = violated || std::ranges::find(expected, Outcome::kViolated) != expected.end();
    }
    EXPECT_TRUE(violated);
    EXPECT_EQ(judge.spared() > 150, remembered > 3);
  }
}

struct Change {
  const char* what;
  void (*make)(History& history);
};

TEST(ClaimJudge, ReusesOutcomesOnlyForEqualHistories) {
  const Scenario scenario = SaleClaimJudge({FaultForm::kPause});
  const sim::Deviations deviations = *sim::ParseDeviations("4:1");
  sim::GivenChoices given(deviations);
  const History history = Simulate(scenario, given).history;
  ASSERT_EQ(history.facts.faults.size(), 1u);
  const Change changes[] = {
      {"a time", [](History& h) { ++h.events[20].at_ns; }},
      {"a value", [](History& h) { ++h.events[20].value[3]; }},
      {"an event less", [](History& h) { h.events.pop_back(); }},
      {"the duration", [](History& h) { h.facts.duration += 1s; }},
      {"a fault's kind", [](History& h) { h.facts.faults[0].kind = "restart"; }},
      {"what a fault is", [](History& h) { h.facts.faults[0].what += " with its log"; }},
  };
  for (const Change& change : changes) {
    ClaimJudge judge(scenario.plan.claims, 1);
    (void)judge.Judge(history);
    (void)judge.Judge(history);
    EXPECT_EQ(judge.spared(), 1);
    History changed = history;
    change.make(changed);
    EXPECT_EQ(judge.Judge(changed).outcomes, ByCheckers(scenario, changed)) << change.what;
    EXPECT_EQ(judge.spared(), 1) << change.what;
  }
}

TEST(ClaimJudge, DoesNotCacheLongHistories) {
  const Scenario scenario = SaleClaimJudge({});
  const sim::Deviations none;
  sim::GivenChoices given(none);
  History history = Simulate(scenario, given).history;
  const Event last = history.events.back();
  while (history.events.size() <= ClaimJudge::kMostEvents) history.events.push_back(last);
  ClaimJudge judge(scenario.plan.claims);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(judge.Judge(history).outcomes, ByCheckers(scenario, history));
  EXPECT_EQ(judge.spared(), 0);
}

}  // namespace
}  // namespace doublehold
