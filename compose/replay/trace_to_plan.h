// A simulated execution as a plan for real servers: the same clients, the same sections, and its
// faults where it had them, as near as one can aim there.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_TRACE_TO_PLAN_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_TRACE_TO_PLAN_H_

#include <map>
#include <string>

#include "checker/judge.h"
#include "compose/explore/shaken.h"
#include "compose/explore/simulate.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"
#include "lib/sim/choices/choice.h"

namespace doublehold {

// A fault on a message strikes the same message: the so many-th such command of that client to that
// server. One on a client or a node strikes as that client announces the step that it took there.
// Clients begin an eighth of a lease apart, in their order.
//
// Bad input, with what cannot be aimed: a change of order, what is published, what befalls
// replicas; and a client or a node where no step is announced, or not for the first time, or where
// a client looks at a clock between what it waited for and that step; and what takes longer than a
// run there may.
Result<Plan> RealPlanOf(const Scenario& scenario, const sim::Deviations& choices);

// What became of each claim in either world.
struct Agreement {
  std::string text;  // a table, and what hangs on short times
  // A claim is violated in one, and valid in the other; or by another cause, where both tell one.
  bool differs = false;
  // A claim that differs is unknown in one of them, or hangs on short times; or a fault did not
  // strike on the real servers.
  bool open = false;
};
Agreement Compare(const RunVerdict& simulated, const RunVerdict& real,
                  const std::map<std::string, Hang>& hangs = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_TRACE_TO_PLAN_H_
