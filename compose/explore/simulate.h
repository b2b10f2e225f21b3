// One execution in the simulated world: a lock and a workload as they are, with what a ChoiceSource
// decides.
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

// What is run in the simulated world. The plan's faults and its duration say nothing here.
struct Scenario {
  Plan plan;
  int cycles = 1;         // steps of the workload, of each client
  sim::WorldTerms terms;  // with the plan's clients, nodes and seed
  // Of the lock that is run in the place of the plan's; null: of that one.
  std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr;
};
Scenario ScenarioOf(const Plan& plan, int cycles, const std::vector<FaultForm>& faults);

struct Execution {
  History history;
  std::vector<FaultForm> struck{};       // in the order of the history's faults
  bool cut_off = false;                  // it took too many steps
  std::optional<uint32_t> again_from{};  // of the world (world.h)
};
// Runs it once; `choices` decide. Deterministic.
Execution Simulate(const Scenario& scenario, sim::ChoiceSource& choices);
// The same again and again: `into` has the facts of the plan already, and is overwritten otherwise.
void Simulate(const Scenario& scenario, sim::ChoiceSource& choices, sim::Workbench& bench,
              Execution& into);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SIMULATE_H_
