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

// Returns the timeouts and retries of clients of this plan.
RetryPolicy MakeRetryPolicy(const Plan& plan);

// Returns the names of the options that the served lock accepts: the lock's own options, and a
// run's settings for timeouts and retries.
std::vector<std::string> ServedOptions(const LockEntry& lock);

// Returns the plan of a run of this lock with these options on `nodes` nodes. Returns bad input for
// an option that is unknown or that a driver cannot have.
Result<Plan> ServedPlan(const LockEntry& lock, const std::map<std::string, std::string>& options,
                        Lease lease, int nodes);

// Answers requests from standard input on standard output, until bye or the end of the input.
// Returns bad input if the lock cannot be served, and an environment error if a line breaks the
// protocol.
Result<ExitCode> ServeLock(const std::string& name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_SERVE_H_
