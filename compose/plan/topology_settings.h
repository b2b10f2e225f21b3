// [topology]: the number of servers, and how they are arranged.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_

#include <string_view>

#include "compose/plan/setting_reader.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "lib/plan/topology.h"

namespace doublehold {

// Reads the settings into the plan. Requires that the plan's lock and options are known. Reports
// errors to the reader.
void ReadTopology(SettingReader& reader, const LockEntry& lock, Plan& plan);

// Says why the topology is invalid, or does not fit the lock. Both texts are empty if it is valid.
// Requires that the topology and lock are registered.
Incompatibility FindIncompatibility(const Plan& plan, const LockEntry& lock);

// Returns a field of plan.json that is outside the range that ReadTopology allows. Returns an empty
// text if there is none.
std::string_view FindTopologyFieldOutOfRange(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_
