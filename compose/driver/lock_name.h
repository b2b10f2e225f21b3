// Reads how a user names a lock: `redlock`, `redis-py`, `redisson@4.7.0`, `redsync@path:../fix`,
// `driver:./my_driver`, each also with options: `shedlock-redis[safe_update=yes]`.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_LOCK_NAME_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_LOCK_NAME_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/plan/settings.h"

namespace doublehold {

// Begins the name of a lock that a driver serves: a command, or a bundled driver.
inline constexpr std::string_view kDriverPrefix = "driver:";

struct LockName {
  std::string name;    // of a built-in lock; empty for a driver
  std::string driver;  // the bundled driver, with its version if one is named, or the command
  std::map<std::string, std::string> options;
};
// Reads one name. A name that a built-in lock and a bundled driver share is the built-in lock's.
Result<LockName> ReadLockName(std::string text);

// Splits a list of names at the commas outside of brackets.
std::vector<std::string> SplitLockNames(std::string_view list);

// Replaces lock.name or lock.driver by the settings that it stands for. Call it before BuildPlan of
// compose/plan/plan_builder.h, which knows only built-in names and commands. Returns bad input for
// an unknown name, and for an option that has a setting of its own too.
Result<void> ResolveLockName(Settings& settings);

// Returns the line "redisson: Doublehold's own copy of Redisson's RLock; the library is
// driver:redisson", or an empty text if the lock copies no library that has a driver.
std::string OwnCopyLine(std::string_view lock);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_LOCK_NAME_H_
