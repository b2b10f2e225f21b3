// [topology]: how many servers there are, and how they hang together.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_
#define DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_

#include "compose/plan/setting_reader.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "lib/plan/topology.h"

namespace doublehold {

// Reads the settings into the plan, whose lock and options are known; what does not fit fails in
// `reader`.
void ReadTopology(SettingReader& reader, const LockEntry& lock, Plan& plan);

// Why the topology of a plan is none, or none for its lock; both empty when it is. Its name and
// lock are known.
Misfit TopologyMisfit(const Plan& plan, const LockEntry& lock);

// Whether a plan that was read from a file has numbers that ReadTopology could have left there.
bool TopologyIsInRange(const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_TOPOLOGY_SETTINGS_H_
