// A lock of ours as a driver serves it (docs/driver-protocol.md): `doublehold driver serve LOCK`.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_SERVE_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_SERVE_H_

#include <map>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/locks/registry.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The names that options of such a driver have: those of the lock, and those of a run that say how
// it waits.
std::vector<std::string> ServedOptions(const LockEntry& lock);

// How the lock is to be run with these options, on so many nodes: as in a run that names the same.
// Bad input: an option that there is not, or that a driver cannot have.
Result<Plan> ServedPlan(const LockEntry& lock, const std::map<std::string, std::string>& options,
                        Lease lease, int nodes);

// Answers what comes from standard input on standard output, until bye or the end of it. Bad input:
// a lock that cannot be served. An error of the environment: a line that is no request of the
// protocol.
Result<ExitCode> ServeLock(const std::string& name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_SERVE_H_
