// Creates the shared memory of a run, and collects the events that its processes have recorded.
#ifndef DOUBLEHOLD_COMPOSE_RUN_MERGE_SEGMENTS_H_
#define DOUBLEHOLD_COMPOSE_RUN_MERGE_SEGMENTS_H_

#include <cstdint>

#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/history/shared_run.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Creates the shared memory for a run of this plan.
Result<SharedRun> CreateSharedRun(const Plan& plan);

// Appends the events of the supervisor, the referee and the clients, one segment after the other.
// If a segment is full, also appends an event with the time `now_ns`, which says that events were
// lost. Clients may still be recording.
void AppendSegments(SharedRun& shared, const Plan& plan, int64_t now_ns, History& history);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_MERGE_SEGMENTS_H_
