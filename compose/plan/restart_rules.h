// Rules for the restarts of a plan: with other restarts, with the lock, and with the lock's
// `restart-delay`.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

constexpr const char* kRestartDelay = "restart-delay";  // option of a lock

// The keys of the locks that the plan's workload uses; at least one.
std::vector<std::string> LockKeysOf(const Plan& plan);

// How long the operator keeps a node down after it died, for the plan's lock; 0: the lock has no
// such rule.
Duration RestartDelayOf(const Plan& plan);
// Says what is wrong with the restart delay; empty: nothing.
std::string WhyNoRestartDelay(const Plan& plan);

// Extends the plan's restarts of nodes to the lock's restart-delay. The store may restart sooner.
void KeepNodesOut(Plan& plan);

// Checks a fault that restarts nodes, beside the other faults: the data that the nodes need, and
// when they are back.
Result<void> CheckRestart(const Plan& plan, const FaultPlan& fault);
// Checks that the key of a fault belongs to a lock of the run.
Result<void> CheckKey(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_
