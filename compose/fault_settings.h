// From the [[fault]] tables of an experiment to its timeline.
#ifndef DOUBLEHOLD_COMPOSE_FAULT_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_FAULT_SETTINGS_H_

#include <string>
#include <vector>

#include "compose/setting_reader.h"
#include "lib/plan/plan.h"

namespace doublehold {

// One table. Errors go to the reader; what the plan holds so far (clients, nodes, duration) is used for defaults.
//
//   kind = "pause"   client = 1   on = "client 1 before-write" | "client 1 holds"   from = "300ms"   every = "2s"   times = 2
//   for = "1.6 lease"   until = "client 2 after-acquire" | "begin of NAME" | "end of NAME"   during = "another fault's name"
//   nodes = [1, 2] | "all" | "store" | "majority"   direction   command   key   nth   chance   count
//   delay   jitter   spread   bytes   gap   bytes-per-second   by   period   rate
//   sides = "minority" | "majority" | "ring"   links = ["1-4", "2-store"]
FaultPlan ReadFault(SettingReader& reader, const Plan& plan, int index);

// What holds for a whole timeline: names are unique and known, targets exist, everything heals.
// `places` says where each fault came from, for messages.
Result<void> CheckFaults(const Plan& plan, const std::vector<std::string>& places);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_FAULT_SETTINGS_H_
