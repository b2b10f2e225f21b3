// Runs one execution in the simulator, with the unmodified lock and workload and the decisions of a
// ChoiceSource.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_SIMULATE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_SIMULATE_H_

#include <memory>
#include <vector>

#include "lib/history/history.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "lib/sim/choices/choice.h"
#include "lib/sim/world.h"

namespace doublehold {

// The input of a simulated execution. The plan's faults and duration are ignored.
struct Scenario {
  Plan plan;
  int cycles = 1;         // steps of the workload that each client runs
  sim::WorldTerms terms;  // has the plan's clients, nodes and seed
  // Makes a lock that replaces the plan's lock. Null: the plan's lock is used.
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
};
Scenario ScenarioOf(const Plan& plan, int cycles, const std::vector<FaultForm>& faults);

struct Execution {
  History history;
  std::vector<FaultForm>
      begun_faults{};           // the faults that began, in the order of history.facts.faults
  bool cut_off = false;         // whether the execution exceeded the limit of steps
  bool has_read_clock = false;  // World::has_read_clock() (world.h)
};
// Runs one execution with the decisions of `choices`. Deterministic.
Execution Simulate(const Scenario& scenario, sim::ChoiceSource& choices);
// Runs one execution and reuses the memory of `bench` and `into`. Requires that `into` has the
// facts of the plan. Overwrites the rest of `into`.
void Simulate(const Scenario& scenario, sim::ChoiceSource& choices, sim::Workbench& bench,
              Execution& into);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SIMULATE_H_
