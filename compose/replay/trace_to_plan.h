// Translates a simulated execution into a plan for real servers. The plan has the same clients and
// sections. Its faults begin at the same places, as far as a real run can aim at them.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_TRACE_TO_PLAN_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_TRACE_TO_PLAN_H_

#include <map>
#include <string>

#include "checker/judge.h"
#include "compose/explore/simulate.h"
#include "compose/explore/timing_dependence.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"
#include "lib/sim/choices/choice.h"

namespace doublehold {

// A fault on a message acts on the same message: the n-th such command of that client to that
// server. A fault on a client or node begins when the client announces the step that it took there.
// Clients start in their order, an eighth of a lease apart.
//
// Returns bad input, and says which, for:
// - delays, published messages, and faults on replicas;
// - a client or node at a place where the client announces no step, or not for the first time;
// - a place where the client reads a clock between the event that it waited for and the step;
// - an execution that takes longer than a real run may.
Result<Plan> RealPlanOf(const Scenario& scenario, const sim::Deviations& choices);

// The outcomes of each claim in both worlds, compared.
struct Agreement {
  std::string text;  // a table, and what depends on short times
  // A claim is violated in one world and valid in the other; or its known causes differ.
  bool differs = false;
  // The comparison proves nothing. A claim that differs is unknown in one world or depends on short
  // times, or a fault did not begin on the real servers.
  bool open = false;
};
Agreement Compare(const RunVerdict& simulated, const RunVerdict& real,
                  const std::map<std::string, TimingDependence>& dependences = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_TRACE_TO_PLAN_H_
