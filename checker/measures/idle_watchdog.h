// Warns if the watchdog of a library had nothing to extend.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_IDLE_WATCHDOG_H_
#define DOUBLEHOLD_CHECKER_MEASURES_IDLE_WATCHDOG_H_

#include <string>
#include <vector>

#include "checker/evidence/evidence.h"

namespace doublehold {

// A watchdog usually extends a lease when a third of it is over. Returns one sentence if a library
// declares a watchdog, and no client held a lock for longer than that. Time in which the client was
// stopped does not count, because its watchdog was stopped too.
std::vector<std::string> WatchdogWarnings(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_IDLE_WATCHDOG_H_
