// Warms the driver of a client up before a run.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_WARM_UP_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_WARM_UP_H_

#include "lib/driver/channel.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Has the driver acquire and release a key of the client's own before the run, so that a run does
// not measure how a library starts. Repeats a refused acquire for 5 s. A driver that does not
// answer within kDriverPatience starts its run cold, with this call pending.
void WarmUp(DriverChannel& driver, const Plan& plan, int client);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_WARM_UP_H_
