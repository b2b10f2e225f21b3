// Reads [nemesis] of an experiment and draws its faults.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_NEMESIS_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_NEMESIS_SETTINGS_H_

#include <vector>

#include "compose/plan/setting_reader.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Draws the faults of [nemesis]. Returns none if nemesis.faults is not set. Reports errors to the
// reader. Requires that `plan` is complete except for its faults.
//
//   faults = ["pause", "clock"]   every = "500ms"   shortest = "0.2 lease"   longest = "2 lease"
std::vector<FaultPlan> ReadNemesis(SettingReader& reader, const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_NEMESIS_SETTINGS_H_
