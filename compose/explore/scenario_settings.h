// The settings of `explore` and `replay`: an experiment's settings with the defaults of a search.
// Refuses settings that cannot be simulated.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_

#include "compose/explore/replay_string.h"
#include "compose/explore/simulate.h"
#include "compose/options/experiment_options.h"

namespace doublehold {

// Reads settings as `run` does.
Result<Settings> ReadScenarioSettings(const ParsedLine& line);
// Sets the default of workload.work, unless the user set it: longer than a lease if the lock
// extends its lease by itself, else shorter.
void ChooseWork(Settings& settings);
// Returns bad input, in one line, if the simulator lacks something that the settings need.
Result<Plan> SimulatedPlan(const Settings& settings);
Scenario ScenarioOf(const Plan& plan, const ReplayString& replay);

// The replay string of an execution of `scenario`. Requires the settings that the scenario's plan
// was built from; the number of clients may differ.
ReplayString ReplayOf(const Settings& settings, const Scenario& scenario,
                      const sim::Deviations& choices);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_
