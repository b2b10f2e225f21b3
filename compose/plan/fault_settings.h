// Reads the faults of an experiment into the plan's timeline.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_FAULT_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_FAULT_SETTINGS_H_

#include <string>
#include <vector>

#include "compose/plan/fault_rules.h"
#include "compose/plan/setting_reader.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Reads `faults`, the names of profiles; "none" stands for no profile.
std::vector<std::string> ReadProfileNames(SettingReader& reader);

// Reads `faults` (profiles), [[fault]] tables and [nemesis] into the plan. Requires that the rest
// of the plan is complete. Returns the place at which each fault was written. Reports errors to the
// reader. The keys of a [[fault]] table:
//
//   kind = "pause"   client = 1   on = "client 1 before-write" | "client 1 holds"
//   from = "300ms"   every = "2s"   times = 2   for = "1.6 lease"
//   until = "client 2 after-acquire" | "begin of NAME" | "end of NAME"
//   during = "another fault's name"
//   nodes = [1, 2] | "all" | "store" | "majority" | "leader"   direction   command   key   nth
//   chance   count   delay   jitter   spread   bytes   gap   bytes-per-second   by   period   rate
//   sides = "minority" | "majority" | "ring"   links = ["1-4", "2-store"]
std::vector<FaultPlace> ReadFaults(SettingReader& reader, Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_FAULT_SETTINGS_H_
