#include "compose/explore.h"

#include <algorithm>
#include <utility>

#include "compose/claim_judge.h"
#include "compose/plan_builder.h"
#include "compose/probe.h"
#include "lib/base/check.h"
#include "lib/locks/recorded_lock.h"
#include "lib/locks/registry.h"
#include "lib/plan/topology.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

// Longer than a lease, so that whatever goes by it is over; and not two.
constexpr int64_t kFaultNumerator = 8, kFaultDenominator = 5;
constexpr int kProgressEvery = 1000;

class Play {
 public:
  Play(const Scenario& scenario, sim::ChoiceSource& choices, sim::Workbench& bench)
      : scenario_(scenario),
        plan_(scenario.plan),
        lock_(*FindLock(plan_.lock)),
        workload_(*FindWorkload(plan_.workload)),
        lock_options_(plan_.lock_options),
        workload_options_(plan_.workload_options),
        world_(scenario.terms, choices, bench) {}

  void Run(Execution& execution) {
    world_.Start(kReferee, TaskKind::kSession, 0,
                 [this](Env& env) { CHECK(MakeWorkload()->Setup(env)); });
    world_.Run(/*with_faults=*/false);
    const MonoTime begun = world_.now();
    for (int client = 1; client <= plan_.clients; ++client) {
      world_.Start(client, TaskKind::kSession, 0,
                   [this, client](Env& env) { RunSession(env, client); });
    }
    world_.Run(/*with_faults=*/true);
    if (!world_.cut_off()) {
      world_.Start(kReferee, TaskKind::kSession, 0, [this](Env& env) { RunReferee(env); });
      world_.Run(/*with_faults=*/false);
    }
    execution.cut_off = world_.cut_off();
    execution.history.events.assign(world_.events().begin(), world_.events().end());
    RunFacts& facts = execution.history.facts;
    facts.faults = world_.faults();
    execution.struck = world_.struck();
    facts.duration = world_.now() - begun;
  }

 private:
  [[nodiscard]] std::unique_ptr<Workload> MakeWorkload() const {
    return workload_.make(workload_options_);
  }
  std::unique_ptr<Lock> MakeLock(Env& env, int client) const {
    return lock_.make({.env = env,
                       .client = client,
                       .seed = plan_.seed,
                       .nodes = LockNodesOf(plan_),
                       .lease = plan_.lease,
                       .call_timeout = plan_.call_timeout,
                       .options = lock_options_});
  }

  void RunSession(Env& env, int client) {
    const std::unique_ptr<Workload> workload = MakeWorkload();
    RecordedLock lock(env, MakeLock(env, client));
    Session session{.env = env,
                    .lock = lock,
                    .client = client,
                    .lease = plan_.lease,
                    .policy = {.interval = plan_.retry.interval,
                               .growth = plan_.retry.growth,
                               .longest = plan_.retry.longest,
                               .jitter = plan_.retry.jitter,
                               .retries = plan_.retry.retries,
                               .timeout = plan_.retry.timeout,
                               .call_timeout = plan_.call_timeout}};
    for (int cycle = 0; cycle < scenario_.cycles && !env.Stopping(); ++cycle)
      workload->Step(session);
  }

  void RunReferee(Env& env) {
    const std::unique_ptr<Workload> workload = MakeWorkload();
    const std::unique_ptr<Lock> lock = MakeLock(env, kReferee);
    const std::vector<std::string> names = workload->Keys();
    for (size_t i = 0; i < workload->LockCount(); ++i) {
      const LockKey key{.name = names[i], .index = static_cast<uint16_t>(i)};
      const ProbeTerms terms{
          .lease = plan_.lease, .grace = plan_.grace, .call_timeout = plan_.call_timeout};
      if (!lock_.end_is_in_value) RecordExpiries(env, LockNodesOf(plan_), key, terms);
      Probe(env, *lock, key, terms);
    }
    workload->Finish(env);
  }

  const Scenario& scenario_;
  const Plan& plan_;
  const LockEntry& lock_;
  const WorkloadEntry& workload_;
  Options lock_options_, workload_options_;
  sim::World world_;
};

class Search {
 public:
  Search(const Scenario& scenario, const Bounds& bounds,
         const std::function<void(const Explored&)>& progress)
      : scenario_(scenario), bounds_(bounds), progress_(progress), judge_(scenario.plan.claims) {
    execution_.history.facts = FactsOf(scenario.plan);
    for (const std::string& claim : scenario.plan.claims)
      explored_.claims.push_back({.claim = claim});
  }

  // By the number of deviations, so that the first that violates a claim has the fewest.
  Explored Run() {
    for (int level = 0; level <= bounds_.depth + bounds_.delays && !is_over_; ++level) {
      Deviations none;
      Visit(none, level);
    }
    explored_.is_complete = !is_over_;
    return std::move(explored_);
  }

 private:
  using Deviations = sim::Deviations;

  // All executions that have exactly `more` deviations besides these, which come before them.
  void Visit(Deviations& deviations, int more) {
    if (is_over_) return;
    sim::GivenChoices choices(deviations);
    Simulate(scenario_, choices, bench_, execution_);
    CHECK(choices.Fits());
    if (!WithinMost(execution_.struck)) return;
    if (more == 0) return Judge(deviations, execution_);
    const std::vector<sim::GivenChoices::Question> open = choices.open();
    for (const auto& question : open) {
      if (CountOf(deviations, question.kind) >= MostOf(question.kind)) continue;
      for (uint32_t choice = 1; choice < question.count; ++choice) {
        deviations.push_back({.at = question.at, .choice = choice, .kind = question.kind});
        Visit(deviations, more - 1);
        deviations.pop_back();
      }
    }
  }

  [[nodiscard]] int MostOf(sim::ChoiceKind kind) const {
    return kind == sim::ChoiceKind::kFault ? bounds_.depth : bounds_.delays;
  }
  static int CountOf(const Deviations& deviations, sim::ChoiceKind kind) {
    return static_cast<int>(std::ranges::count(deviations, kind, &sim::Deviation::kind));
  }
  [[nodiscard]] bool WithinMost(const std::vector<sim::SimFault>& struck) const {
    return std::ranges::all_of(bounds_.most, [&](const auto& each) {
      return std::ranges::count(struck, each.first) <= each.second;
    });
  }

  void Judge(const Deviations& deviations, const Execution& execution) {
    ++explored_.executions;
    if (execution.cut_off) ++explored_.cut_off;
    const std::vector<Outcome3>& outcomes = judge_.Judge(execution.history);
    for (size_t i = 0; i < outcomes.size(); ++i) {
      Found& found = explored_.claims[i];
      if (outcomes[i] == Outcome3::kUnknown) ++found.unknown;
      if (outcomes[i] != Outcome3::kViolated) continue;
      if (found.violated++ > 0) continue;
      found.shortest = deviations;
      found.sentence = judge_.Sentence(execution.history, i);
    }
    is_over_ = bounds_.executions > 0 && explored_.executions >= bounds_.executions;
    if (explored_.executions % kProgressEvery == 0) progress_(explored_);
  }

  const Scenario& scenario_;
  const Bounds& bounds_;
  const std::function<void(const Explored&)>& progress_;
  sim::Workbench bench_;
  ClaimJudge judge_;
  Execution execution_;  // the last; kept for what it has allocated
  Explored explored_;
  bool is_over_ = false;
};

}  // namespace

Scenario ScenarioOf(const Plan& plan, int cycles, const std::vector<sim::SimFault>& faults) {
  return {.plan = plan,
          .cycles = cycles,
          .terms = {.clients = plan.clients,
                    .nodes = LockNodesOf(plan),
                    .seed = plan.seed,
                    .lasts = plan.lease * kFaultNumerator / kFaultDenominator,
                    .faults = faults}};
}

void Simulate(const Scenario& scenario, sim::ChoiceSource& choices, sim::Workbench& bench,
              Execution& into) {
  Play(scenario, choices, bench).Run(into);
}

Execution Simulate(const Scenario& scenario, sim::ChoiceSource& choices) {
  sim::Workbench bench;
  Execution execution{.history = {.facts = FactsOf(scenario.plan), .events = {}}};
  Simulate(scenario, choices, bench, execution);
  return execution;
}

Explored Explore(const Scenario& scenario, const Bounds& bounds,
                 const std::function<void(const Explored&)>& progress) {
  return Search(scenario, bounds, progress).Run();
}

}  // namespace doublehold
