// A client stays idle for a while after its work, for the claims about traffic.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_STAY_IDLE_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_STAY_IDLE_H_

#include "lib/base/env.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Whether clients must stay idle after their work while their traffic is recorded.
[[nodiscard]] bool JudgesIdle(const Plan& plan);
// Whether all traffic of clients is recorded.
[[nodiscard]] bool JudgesTraffic(const Plan& plan);

// Sleeps for a lease, or until it is stopped, and records the beginning and the end.
void StayIdle(Env& env, Lease lease);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_STAY_IDLE_H_
