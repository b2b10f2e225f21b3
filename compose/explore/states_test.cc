// Tests that an exhaustive search judges all executions, although it goes on from equal states only
// once, and that past faults decide only the claims that say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/verdict/checker.h"
#include "compose/explore/explore.h"
#include "compose/explore/scenario_settings.h"
#include "compose/explore/testing_explore.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/prng.h"
#include "lib/locks/registry.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

// A scenario of few faults, such that all executions of the depth are soon run.
struct RandomScenario {
  std::string text;
  Scenario scenario;
  Bounds bounds;
};

RandomScenario Draw(uint64_t seed, bool with_orders) {
  Prng prng(seed, "states test");
  const auto below = [&](size_t count) { return static_cast<size_t>(prng.Below(count)); };
  const int64_t most = RunsAllTrials() ? 120 : 60;
  while (true) {
    const LockEntry& lock = Locks()[below(Locks().size())];
    Settings settings;
    settings.Set("lock.name", std::string(lock.name), "test");
    settings.Set("workload.clients", std::to_string(1 + below(3)), "test");
    if (lock.most_nodes >= 3) settings.Set("topology.nodes", "3", "test");
    if (lock.most_nodes == 1 && below(3) == 0) settings.Set("topology.name", "replicated", "test");
    if (below(3) == 0) settings.Set("workload.name", "cycle", "test");
    AddScenarioDefaults(settings);
    const Result<Plan> plan = SimulatedPlan(settings);
    if (!plan) continue;
    std::vector<FaultForm> faults;
    std::string names;
    for (int i = 0; i < 2; ++i) {
      const FaultFormEntry& entry = kFaultForms[below(kFaultForms.size())];
      if (!ExplainMissing(entry.form, *plan).empty() || std::ranges::count(faults, entry.form) > 0)
        continue;
      faults.push_back(entry.form);
      names.append(" ").append(entry.name);
    }
    if (faults.empty()) continue;
    std::ranges::sort(faults);
    Scenario scenario = ScenarioOf(*plan, /*cycles=*/1 + static_cast<int>(below(2)), faults);
    const bool has_delay = with_orders && below(3) == 0;
    if (has_delay) scenario.terms.window = 2ms;
    // The number of executions of more faults or delays is about a power of that of one.
    Bounds bounds{.depth = 1, .delays = has_delay ? 1 : 0};
    const int64_t few = Explore(scenario, bounds, [](const Explored&) {}).executions;
    if (few > (has_delay ? 400 : most)) continue;
    if (has_delay) names += ", 1 delay";
    bounds.depth = few < most / 3 ? 3 : few < 200 ? 2 : 1;
    if (below(4) == 0) bounds.most[faults.front()] = 1;
    const std::string clients = ", " + std::to_string(plan->clients) + " clients,";
    return {
        .text = std::string(lock.name) + clients + names, .scenario = scenario, .bounds = bounds};
  }
}

Explored Search(const RandomScenario& drawn, bool reduce, int jobs) {
  Bounds bounds = drawn.bounds;
  bounds.jobs = jobs;
  bounds.reduce = reduce;
  return Explore(drawn.scenario, bounds, [](const Explored&) {});
}

std::string CountsOf(const Explored& explored) {
  std::string text = std::to_string(explored.executions) + " executions, " +
                     std::to_string(explored.cut_off) + " cut off, marks " +
                     explored.marks.to_string();
  for (const Found& found : explored.claims) {
    text += ", " + found.claim + " " + std::to_string(found.violated) + " " +
            std::to_string(found.unknown);
  }
  return text;
}

TEST(States, EachExecutionCountsWhetherItIsRunOrNot) {
  int64_t executions = 0, run = 0, replicated = 0, ordered = 0;
  // A seed takes up to seconds. Few seeds must have replicas, a delay and faults whose executions
  // meet in equal states: these do.
  const auto [first, last] = RunsAllTrials() ? std::pair(1, 100) : std::pair(6, 10);
  for (int seed = first; seed <= last; ++seed) {
    const RandomScenario drawn = Draw(static_cast<uint64_t>(seed), /*with_orders=*/true);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + drawn.text);
    const Explored all = Search(drawn, /*reduce=*/false, /*jobs=*/1);
    ASSERT_EQ(all.run, all.executions);
    const Explored reduced = Search(drawn, /*reduce=*/true, /*jobs=*/2);
    EXPECT_EQ(CountsOf(reduced), CountsOf(all));
    executions += all.executions;
    run += reduced.run;
    replicated += drawn.scenario.terms.replicas;
    ordered += drawn.bounds.delays;
  }
  EXPECT_LT(run, executions * 9 / 10);
  EXPECT_GT(replicated, 0);
  EXPECT_GT(ordered, 0);
}

// Removes the records of the past faults that do not matter to the claim.
History WithoutPastFaults(const History& history, PastFaultMatters matters) {
  std::set<int64_t> begun, ended, forgotten;  // before the first probe
  for (const Event& event : history.events) {
    if (event.op == Op::kProbe) break;
    if (event.op != Op::kFault) continue;
    (event.type == EventType::kInvoke ? begun : ended).insert(event.value[0]);
  }
  for (const Event& event : history.events) {
    if (event.op != Op::kFault || event.type != EventType::kInvoke) continue;
    const int64_t fault = event.value[0];
    const FaultFact& fact = history.facts.faults[static_cast<size_t>(fault)];
    const bool lasts =
        IsCrash(fact) || MovesAClock(fact) || Does(fact, FaultTrait::kCutsReplication);
    const bool is_past = ended.contains(fault) || (lasts && begun.contains(fault));
    if (is_past && !matters(history.facts, fact, event.value[2] < 0)) forgotten.insert(fault);
  }
  History left = history;
  std::erase_if(left.events, [&](const Event& event) {
    return event.op == Op::kFault && forgotten.contains(event.value[0]);
  });
  return left;
}

TEST(States, PastFaultsDecideOnlyTheClaimsToWhichTheyMatter) {
  constexpr Limits kOnlyOutcomes{.violations_told = 0, .no_stalls = true};
  std::map<std::string, int64_t> judged;
  for (uint64_t seed = 1; seed <= static_cast<uint64_t>(NumTrials(3000)); ++seed) {
    const RandomScenario drawn = Draw(seed, /*with_orders=*/false);
    const Explored plain = Explore(drawn.scenario, {.depth = 0}, [](const Explored&) {});
    if (plain.points == 0) continue;
    Prng prng(seed, "places");
    std::set<uint32_t> places;
    for (int i = 0; i < 3; ++i)
      places.insert(static_cast<uint32_t>(prng.Below(static_cast<uint64_t>(plain.points))));
    sim::Deviations deviations;
    for (const uint32_t at : places) deviations.push_back({.at = at, .choice = 1});
    sim::GivenChoices choices(deviations);
    const Execution execution = Simulate(drawn.scenario, choices);
    for (const std::string& claim : drawn.scenario.plan.claims) {
      const CheckerEntry& checker = *FindChecker(claim);
      EXPECT_EQ(Name(checker.check(Evidence(execution.history), kOnlyOutcomes).outcome),
                Name(checker.check(Evidence(execution.history), {}).outcome))
          << claim << ", seed " << seed;
      if (checker.past_fault_matters == nullptr) continue;
      const History left = WithoutPastFaults(execution.history, checker.past_fault_matters);
      if (left.events.size() == execution.history.events.size()) continue;
      ++judged[claim];
      EXPECT_EQ(Name(checker.check(Evidence(left), {}).outcome),
                Name(checker.check(Evidence(execution.history), {}).outcome))
          << claim << ", seed " << seed << ": " << drawn.text << ", " << sim::ToText(deviations);
    }
  }
  for (const char* claim : {"exclusion", "lease-exclusion", "release", "stock", "liveness"})
    EXPECT_GT(judged[claim], NumTrials(3000) / 4) << claim;
}

}  // namespace
}  // namespace doublehold
