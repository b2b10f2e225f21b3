// Rules for the restarts of a plan: they must fit other restarts, the lock's keys, and the lock's
// `restart-delay`.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

constexpr const char* kRestartDelay = "restart-delay";  // option of a lock

// Returns the keys of the locks that the plan's workload uses, at least one.
std::vector<std::string> ListLockKeys(const Plan& plan);

// Returns how long an operator keeps a dead node down for the plan's lock. Returns 0 if the lock
// has no such rule.
Duration ReadRestartDelay(const Plan& plan);
// Says why the restart delay is invalid. Returns an empty text if it is valid.
std::string ExplainInvalidRestartDelay(const Plan& plan);

// Extends the plan's restarts of nodes to the lock's restart-delay. Restarts of the store may be
// shorter.
void KeepNodesOut(Plan& plan);

// Checks a fault that restarts nodes against the other faults: which data the nodes need, and how
// long they are down.
Result<void> CheckRestart(const Plan& plan, const FaultPlan& fault);
// Checks that the key of a fault belongs to a lock of the run.
Result<void> CheckKey(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_RESTART_RULES_H_
