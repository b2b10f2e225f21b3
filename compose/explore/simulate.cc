#include "compose/explore/simulate.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <string>

#include "checker/verdict/checker.h"
#include "compose/client/session_loop.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/restart_rules.h"
#include "compose/plan/service_rules.h"
#include "faults/fault.h"
#include "faults/sim/sim_faults.h"
#include "lib/base/check.h"
#include "lib/locks/registry.h"
#include "lib/plan/topology.h"
#include "lib/sim/service_models.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

// A fault lasts 1.6 leases: longer than one lease, but shorter than two.
constexpr int64_t kFaultNumerator = 8, kFaultDenominator = 5;

class SimulatedRun {
 public:
  SimulatedRun(const Scenario& scenario, sim::ChoiceSource& choices, sim::Workbench& bench)
      : scenario_(scenario),
        plan_(scenario.plan),
        lock_(*FindLock(plan_.lock)),
        workload_(*FindWorkload(plan_.workload)),
        lock_options_(plan_.lock_options),
        workload_options_(plan_.workload_options),
        world_(scenario.terms, choices, bench) {}

  void Run(Execution& execution) {
    world_.Start(kReferee, TaskKind::kSession, 0, [this](Env& env) {
      CHECK(MakeClientContext(kReferee).make_workload()->Setup(env));
    });
    world_.Run(/*with_faults=*/false);
    const MonoTime begun = world_.now();
    for (int client = 1; client <= plan_.clients; ++client) {
      for (int thread = 0; thread < plan_.threads; ++thread) {
        world_.Start(client, TaskKind::kSession, thread, [this, client, thread](Env& env) {
          RunSession(env, MakeClientContext(client), thread,
                     [this](int64_t cycle, Session&) { return cycle < scenario_.cycles; });
        });
      }
    }
    world_.Run(/*with_faults=*/true);
    if (!world_.cut_off()) {
      world_.Start(kReferee, TaskKind::kSession, 0, [this](Env& env) {
        const ClientContext client_context = MakeClientContext(kReferee);
        RunReferee(env, client_context, *client_context.make_workload());
      });
      world_.Run(/*with_faults=*/false);
    }
    execution.cut_off = world_.cut_off();
    execution.has_read_clock = world_.has_read_clock();
    execution.history.events.assign(world_.events().begin(), world_.events().end());
    RunFacts& facts = execution.history.facts;
    facts.faults = world_.faults();
    for (FaultFact& fault : facts.faults) fault.traits = FindFault(fault.kind)->traits;
    execution.begun_faults = world_.begun_faults();
    facts.duration = world_.now() - begun;
    // The run ends with its last event. Time that a referee takes without recording an event does
    // not count.
    if (!execution.cut_off && !execution.history.events.empty())
      facts.duration = std::min(facts.duration, Duration(execution.history.events.back().at_ns));
  }

 private:
  [[nodiscard]] ClientContext MakeClientContext(int client) const {
    return {.plan = plan_,
            .client = client,
            .lock_options = lock_options_,
            .make_lock = scenario_.make != nullptr ? scenario_.make : lock_.make,
            .make_workload = [this] { return workload_.make(workload_options_); }};
  }

  const Scenario& scenario_;
  const Plan& plan_;
  const LockEntry& lock_;
  const WorkloadEntry& workload_;
  Options lock_options_, workload_options_;
  sim::World world_;
};

// Returns the faults that may decide a claim of the plan when they are past. A killed client always
// counts, for the coverage marks.
std::bitset<kFaultFormCount> FindRemembered(const Plan& plan) {
  const RunFacts facts = FactsOf(plan);
  std::bitset<kFaultFormCount> remembered;
  for (const FaultFormEntry& entry : kFaultForms) {
    const FaultFact fact{.kind = std::string(entry.kind),
                         .traits = FindFault(entry.kind)->traits,
                         .keeps_data = entry.keeps_data};
    const bool on_servers = entry.site == FaultSite::kNode || entry.site == FaultSite::kMasters;
    const auto matters = [&](const std::string& claim) {
      const PastFaultMatters past = FindChecker(claim)->past_fault_matters;
      return past == nullptr || past(facts, fact, on_servers);
    };
    remembered[static_cast<size_t>(entry.form)] =
        entry.form == FaultForm::kCrash || std::ranges::any_of(plan.claims, matters);
  }
  return remembered;
}

}  // namespace

Scenario ScenarioOf(const Plan& plan, int cycles, const std::vector<FaultForm>& faults) {
  return {.plan = plan,
          .cycles = cycles,
          .terms = {.clients = plan.clients,
                    .nodes = LockNodesOf(plan),
                    .make_service = sim::FindServiceModel(ServiceOf(plan))->make,
                    .seed = plan.seed,
                    .lasts = plan.lease * kFaultNumerator / kFaultDenominator,
                    .replicas = plan.replicas,
                    .restart_delay = ReadRestartDelay(plan),
                    .records_traffic = JudgesTraffic(plan),
                    .faults = faults,
                    .remembered = FindRemembered(plan),
                    .make_outside_faults = MakeSimFaults}};
}

void Simulate(const Scenario& scenario, sim::ChoiceSource& choices, sim::Workbench& bench,
              Execution& into) {
  SimulatedRun(scenario, choices, bench).Run(into);
}

Execution Simulate(const Scenario& scenario, sim::ChoiceSource& choices) {
  sim::Workbench bench;
  Execution execution{.history = {.facts = FactsOf(scenario.plan), .events = {}}};
  Simulate(scenario, choices, bench, execution);
  return execution;
}

}  // namespace doublehold
