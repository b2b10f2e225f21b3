// Measures how many executions a second the simulator runs and judges. The scenario is that of
// `doublehold explore --lock set-nx-px --clients 3`: three clients acquire, sell and release once
// each, with every kind of fault.
#include <benchmark/benchmark.h>

#include "compose/driver/driver.h"
#include "compose/explore/explore.h"
#include "compose/explore/judge_cache.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/check.h"
#include "lib/base/fault_forms.h"
#include "lib/sim/choices/random_walk.h"

namespace doublehold {
namespace {

Scenario Sale() {
  Settings settings;
  constexpr std::array<std::pair<const char*, const char*>, 9> kSettings{
      {{"lock.name", "set-nx-px"},
       {"lock.lease", "400ms"},
       {"retry.timeout", "4 lease"},
       {"retry.interval", "0.2 lease"},
       {"workload.clients", "3"},
       {"workload.stock", "5"},
       {"workload.work", "0.5 lease"},
       {"workload.work-distribution", "fixed"},
       {"workload.think", "0s"}}};
  for (const auto& [name, value] : kSettings) settings.Set(name, value, "bench");
  const Result<Plan> plan = BuildPlan(std::move(settings));
  CHECK(plan.has_value());
  std::vector<FaultForm> faults;
  for (const FaultFormEntry& entry : kFaultForms) faults.push_back(entry.form);
  return ScenarioOf(*plan, /*cycles=*/1, faults);
}

// Returns the questions that an execution without faults asks.
std::vector<sim::GivenChoices::Question> PlainQuestions(const Scenario& scenario) {
  const sim::Deviations none;
  sim::GivenChoices plain(none);
  (void)Simulate(scenario, plain);
  return plain.open();
}

// Draws random walks. The argument is the number of faults in each execution.
void BM_RandomWalk(benchmark::State& state) {
  const Scenario scenario = Sale();
  const auto faults = static_cast<uint32_t>(state.range(0));
  sim::RandomWalk walk(sim::WithQuestions({.seed = 1, .faults = faults}, PlainQuestions(scenario)));
  sim::Workbench bench;
  Execution execution;
  execution.history.facts = FactsOf(scenario.plan);
  ClaimJudge judge(scenario.plan.claims);
  uint64_t number = 0;
  int64_t violated = 0, faulty = 0;
  for (auto _ : state) {
    walk.Begin(number++);
    Simulate(scenario, walk, bench, execution);
    const std::vector<Outcome>& outcomes = judge.Judge(execution.history).outcomes;
    if (std::ranges::find(outcomes, Outcome::kViolated) != outcomes.end()) ++violated;
    if (!execution.begun_faults.empty()) ++faulty;
  }
  const auto share = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(state.iterations());
  };
  state.SetItemsProcessed(state.iterations());
  state.counters["violated"] = share(violated);
  state.counters["with_a_fault"] = share(faulty);
}
BENCHMARK(BM_RandomWalk)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);

// Runs the same executions without judging them.
void BM_Unjudged(benchmark::State& state) {
  const Scenario scenario = Sale();
  sim::RandomWalk walk(sim::WithQuestions(
      {.seed = 1, .faults = static_cast<uint32_t>(state.range(0))}, PlainQuestions(scenario)));
  sim::Workbench bench;
  Execution execution;
  execution.history.facts = FactsOf(scenario.plan);
  uint64_t number = 0;
  for (auto _ : state) {
    walk.Begin(number++);
    Simulate(scenario, walk, bench, execution);
    benchmark::DoNotOptimize(execution.history.events.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Unjudged)->Arg(1)->Unit(benchmark::kMicrosecond);

// Runs a complete search. The argument is the depth of the search.
void BM_Exhaustive(benchmark::State& state) {
  const Scenario scenario = Sale();
  int64_t executions = 0;
  for (auto _ : state) {
    const Explored explored =
        Explore(scenario, {.depth = static_cast<int>(state.range(0))}, [](const Explored&) {});
    CHECK(explored.is_complete);
    executions += explored.executions;
  }
  state.SetItemsProcessed(executions);
}
BENCHMARK(BM_Exhaustive)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace doublehold

BENCHMARK_MAIN();
