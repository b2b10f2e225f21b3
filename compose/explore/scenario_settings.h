// The settings of `explore` and `replay`: an experiment's settings with the defaults of a search.
// Refuses settings that cannot be simulated.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_

#include <string>

#include "compose/explore/replay_string.h"
#include "compose/explore/simulate.h"
#include "compose/options/experiment_options.h"

namespace doublehold {

// Sets the defaults of `explore`, except of the stock, where the settings name nothing else.
void AddScenarioDefaults(Settings& settings);
// Reads the settings of an experiment as `run` does, and sets the defaults of `explore`.
Result<Settings> ReadScenarioSettings(const ParsedLine& line);
// Sets the defaults that depend on the lock, unless the user set them:
// - lock.lease, which a service may need to be longer;
// - workload.work, which is longer than a lease if the lock has a watchdog, else shorter.
void ChooseByLock(Settings& settings);
// Says why no fault of this form can begin in a simulation of the plan. Returns an empty text if
// one can.
std::string ExplainMissing(FaultForm form, const Plan& plan);
// Returns the plan of a simulation. Returns bad input if the simulator does not support a setting.
Result<Plan> SimulatedPlan(const Settings& settings);
Scenario ScenarioOf(const Plan& plan, const ReplayString& replay);

// Returns the replay string of an execution of `scenario`. Requires the settings from which the
// scenario's plan was built; the number of clients may differ.
ReplayString MakeReplayString(const Settings& settings, const Scenario& scenario,
                              const sim::Deviations& choices);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SCENARIO_SETTINGS_H_
