// [topology]: the number of servers, and how they are arranged.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_

#include "compose/plan/setting_reader.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "lib/plan/topology.h"

namespace doublehold {

// Reads the settings into the plan. Requires that the plan's lock and options are known. Reports
// errors to the reader.
void ReadTopology(SettingReader& reader, const LockEntry& lock, Plan& plan);

// Says why the topology is invalid, or invalid for its lock; both texts are empty if it is valid.
// Requires that the topology and lock are registered.
Incompatibility FindIncompatibility(const Plan& plan, const LockEntry& lock);

// Whether the topology's numbers in a plan from a file are in the range that ReadTopology allows.
bool TopologyIsInRange(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_
