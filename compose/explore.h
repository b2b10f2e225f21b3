// The simulator's search: a lock and a workload as they are, in a simulated world, with every placement of so many faults, judged
// by the same checkers as a run on real servers.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/history/history.h"
#include "lib/plan/plan.h"
#include "lib/sim/choice.h"
#include "lib/sim/world.h"

namespace doublehold {

// What is run in the simulated world. The plan's faults and its duration say nothing here.
struct Scenario {
  Plan plan;
  int cycles = 1;         // steps of the workload, of each client
  sim::WorldTerms terms;  // with the plan's clients, nodes and seed
};
Scenario ScenarioOf(const Plan& plan, int cycles, const std::vector<sim::SimFault>& faults);

struct Execution {
  History history;
  std::vector<sim::SimFault> struck{};  // in the order of the history's faults
  bool cut_off = false;                 // it took too many steps
};
// Runs it once; `choices` decide. Deterministic.
Execution Simulate(const Scenario& scenario, sim::ChoiceSource& choices);
// The same again and again: `into` has the facts of the plan already, and is overwritten otherwise.
void Simulate(const Scenario& scenario, sim::ChoiceSource& choices, sim::Workbench& bench,
              Execution& into);

struct Bounds {
  int depth = 1;                        // faults in one execution, at most
  int delays = 0;                       // how often, at most, what is due waits for what comes next
  std::map<sim::SimFault, int> most{};  // of one kind; not there: as many as the depth
  int64_t executions = 0;               // at most; 0: no limit
};

// What became of a claim within the bounds.
struct Found {
  std::string claim;
  int64_t violated = 0;  // executions
  int64_t unknown = 0;   // likewise
  sim::Deviations
      shortest{};  // of those that violate it: with the fewest deviations, of these the first
  std::string sentence{};  // of that one
};

struct Explored {
  int64_t executions = 0;
  int64_t cut_off = 0;
  bool is_complete = true;  // all within the bounds
  std::vector<Found> claims;
};

// Every execution within the bounds, each once, by the number of its deviations. `progress` is called now and then.
Explored Explore(const Scenario& scenario, const Bounds& bounds,
                 const std::function<void(const Explored&)>& progress);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_H_
