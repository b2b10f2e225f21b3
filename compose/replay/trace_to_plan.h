// Translates a simulated execution into a plan for real servers. The plan has the same clients and
// sections. Its faults begin at the same places, if a real run can start them there.
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

// Returns a plan for real servers. A fault on a message acts on the same message: the n-th such
// command of that client to that server. A fault on a client or node begins when the client
// announces the step at that place. Clients start in their order, an eighth of a lease apart.
//
// Returns bad input, with a message that names the fault, for:
// - delays, published messages, and faults on replicas;
// - a fault on a client or node where the client announces no step, or has announced it before;
// - a fault where the client reads a clock before it announces the step;
// - an execution that takes longer than the limit of a real run.
Result<Plan> TranslateToRealPlan(const Scenario& scenario, const sim::Deviations& choices);

// A comparison of the outcomes of each claim in both worlds.
struct Agreement {
  std::string text;  // a table, and the claims that depend on short times
  // A claim is violated in one world and valid in the other, or its known causes differ.
  bool differs = false;
  // The comparison proves nothing, for one of these reasons: a claim that differs is unknown in one
  // world; it depends on short times; a fault did not begin on the real servers.
  bool open = false;
};
Agreement Compare(const RunVerdict& simulated, const RunVerdict& real,
                  const std::map<std::string, TimingDependence>& dependences = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_TRACE_TO_PLAN_H_
