// Shrinks an execution to a small one that violates the same claim. Prefers fewer faults, then
// fewer clients, then fewer cycles, then fewer delays.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_SHRINK_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_SHRINK_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compose/explore/simulate.h"

namespace doublehold {

struct Shrunk {
  // Has only the faults that begin. Allows reordering only if the choices reorder events.
  Scenario scenario;
  sim::Deviations choices;
  std::string sentence;
  // Whether the search has excluded every smaller execution with faults of the same kinds. Smaller
  // means, in this order: fewer faults, fewer clients, fewer cycles, fewer delays. False if this
  // search would have taken too long.
  bool is_smallest = true;
  int64_t executions = 0;  // number of executions that the search ran
};

// Returns the same experiment with so many clients, or nothing if the experiment needs more.
using PlanWithClients = std::function<std::optional<Plan>(int clients)>;

// The default effort, in events. Takes about a second.
constexpr int64_t kShrinkEvents = 1'200'000;

// Shrinks `choices`, which must violate `claim` in `scenario`. If a choice is removed, the places
// of all later choices change. So Shrink searches new places for them:
// 1. Near the old places. This search gives a result even for many choices. If there are few
//    choices, it comes second.
// 2. At all places, smallest executions first, until the effort is used up. Among executions of
//    equal size, this search prefers an execution that does not depend on short times
//    (timing_dependence.h).
//
// Deterministic.
Shrunk Shrink(const Scenario& scenario, const sim::Deviations& choices, const std::string& claim,
              const PlanWithClients& with_clients, int64_t effort = kShrinkEvents);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SHRINK_H_
