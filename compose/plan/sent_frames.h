// What clients put on their links: a fault on frames that never come by is refused.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_SENT_FRAMES_H_
#define DOUBLEHOLD_COMPOSE_PLAN_SENT_FRAMES_H_

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// That a client of this run may send such a command, with such a first key, over a link that the
// fault acts on. What a lock or a workload sends stands in its registry entry; of one that does not
// say it nothing is known, and nothing refused.
Result<void> CheckFrames(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_SENT_FRAMES_H_
