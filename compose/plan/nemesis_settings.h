// From [nemesis] of an experiment to the faults that it draws.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_NEMESIS_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_NEMESIS_SETTINGS_H_

#include <vector>

#include "compose/plan/setting_reader.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Empty without nemesis.faults. Errors go to the reader. `plan` has everything but its faults.
//
//   faults = ["pause", "clock"]   every = "500ms"   shortest = "0.2 lease"   longest = "2 lease"
std::vector<FaultPlan> ReadNemesis(SettingReader& reader, const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_NEMESIS_SETTINGS_H_
