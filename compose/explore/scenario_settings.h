// What `explore` and `replay` simulate: an experiment's settings, with what a search needs where
// nothing is said, and what cannot be simulated refused.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_

#include "compose/explore/replay_string.h"
#include "compose/explore/simulate.h"
#include "compose/options/experiment_options.h"

namespace doublehold {

// As `run` would read them.
Result<Settings> ReadScenarioSettings(const ParsedLine& line);
// Where nothing is said, work takes as long as shows what the lock does: more than a lease, of one
// that extends by itself.
void ChooseWork(Settings& settings);
// Bad input, in one line, of what the simulated world lacks.
Result<Plan> SimulatedPlan(const Settings& settings);
Scenario ScenarioOf(const Plan& plan, const ReplayString& replay);

// What is to be typed to see an execution of such a scenario: `settings` are those that its plan
// was made of, but for clients.
ReplayString ReplayOf(const Settings& settings, const Scenario& scenario,
                      const sim::Deviations& choices);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_
