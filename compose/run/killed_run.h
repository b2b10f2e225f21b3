// Collects the history of a run whose supervisor was killed.
#ifndef DOUBLEHOLD_COMPOSE_RUN_KILLED_RUN_H_
#define DOUBLEHOLD_COMPOSE_RUN_KILLED_RUN_H_

#include "lib/history/history.h"
#include "lib/history/shared_run.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Returns what was recorded until the supervisor's event loop last ran. The loop runs at least
// every 10 ms, unless it stalls. Drops later events, because after that time no fault was healed
// and no message was forwarded. The last event says that the supervisor died. Requires that all
// clients have ended.
History CollectKilledRun(SharedRun& shared, const Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_KILLED_RUN_H_
