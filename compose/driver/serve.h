// `doublehold driver serve LOCK`: serves a lock of this project as a driver
// (docs/driver-protocol.md).
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_SERVE_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_SERVE_H_

#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/locks/registry.h"
#include "lib/locks/retry.h"
#include "lib/plan/plan.h"

namespace doublehold {

// How clients of this plan wait for the lock.
RetryPolicy RetryPolicyOf(const Plan& plan);

// The options of such a driver: the lock's own, and a run's settings for timeouts and retries.
std::vector<std::string> ServedOptions(const LockEntry& lock);

// The plan of the lock with these options on `nodes` nodes, as in a run with the same settings.
// Returns bad input for an unknown option, or one that a driver cannot have.
Result<Plan> ServedPlan(const LockEntry& lock, const std::map<std::string, std::string>& options,
                        Lease lease, int nodes);

// Answers requests from standard input on standard output, until bye or the end of the input.
// Returns bad input if the lock cannot be served, and an environment error if a line breaks the
// protocol.
Result<ExitCode> ServeLock(const std::string& name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_SERVE_H_
