// The frames that clients send. A fault on frames that no client sends is refused.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_SENT_FRAMES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_SENT_FRAMES_H_

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Checks that a client of this run may send the fault's command with its key over a link on which
// the fault acts. The registry entries of locks and workloads list the commands that they send. An
// entry without a list allows every command.
Result<void> CheckFrames(const Plan& plan, const FaultPlan& fault);

// Sets the nodes of each fault that chooses frames by a command, a key or a `count`, and names no
// nodes and no links. Does so only if clients send such frames to the lock's servers alone, or to
// the store alone. On the other links, the fault would wait for such frames in vain, and would
// never reach its `count`.
void NameNodesOfFrames(Plan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_SENT_FRAMES_H_
