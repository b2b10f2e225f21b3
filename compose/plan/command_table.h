// What clients put on their links: a fault on frames that never come by is refused.
#ifndef DOUBLEHOLD_COMPOSE_PLAN_COMMAND_TABLE_H_
#define DOUBLEHOLD_COMPOSE_PLAN_COMMAND_TABLE_H_

#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// That a client of this run may send such a command, with such a first key, over a link that the
// fault acts on. What a lock or a workload sends is listed in command_table.cc, rather too much
// than too little; of one that is not listed nothing is known, and nothing refused. Its lock and
// its workload are known.
Result<void> CheckFrames(const Plan& plan, const FaultPlan& fault);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_PLAN_COMMAND_TABLE_H_
