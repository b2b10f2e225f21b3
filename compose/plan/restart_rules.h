// What the restarts of a plan must hold between themselves and with the lock, and the lock's
// `restart-delay`.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

constexpr const char* kRestartDelay = "restart-delay";  // a lock's option

// Those that locks of the plan's workload are taken by; at least one.
std::vector<std::string> LockKeysOf(const Plan& plan);

// How long the operator of the plan's lock keeps a node out after it died; 0: not at all.
Duration RestartDelayOf(const Plan& plan);
// Why that is nonsense, or nothing.
std::string WhyNoRestartDelay(const Plan& plan);

// Lets no restart of a node (of the store it may be any) be shorter than the lock's restart-delay.
void KeepNodesOut(Plan& plan);

// Of a fault that restarts nodes, in the midst of the others: what they can come back with, and
// when.
Result<void> CheckRestart(const Plan& plan, const FaultPlan& fault);
// Of a fault that names a key: that it has to do with a lock of the run.
Result<void> CheckKey(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_
