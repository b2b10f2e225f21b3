// What clients do for the claims about what they send: nothing, for a while, when they are through.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_STAY_IDLE_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_STAY_IDLE_H_

#include "lib/base/env.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Whether clients are to stay for a while when they are through, and to be watched.
[[nodiscard]] bool JudgesIdle(const Plan& plan);
// Whether all that they send is to be recorded.
[[nodiscard]] bool JudgesTraffic(const Plan& plan);

// Does nothing for a lease, or until it is stopped, and records that.
void StayIdle(Env& env, Lease lease);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_STAY_IDLE_H_
