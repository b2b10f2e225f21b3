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
  Scenario scenario;  // Has only the faults that begin, and reordering only if it is needed.
  sim::Deviations choices;
  std::string sentence;
  // Whether the search has excluded every smaller execution with faults of the same kinds. Smaller
  // means, in this order: fewer faults, fewer clients, fewer cycles, fewer delays. False: the
  // search would have taken too long.
  bool is_smallest = true;
  int64_t executions = 0;  // number of executions that the search ran
};

// The same experiment with fewer clients, or nothing if it cannot have so few.
using PlanWithClients = std::function<std::optional<Plan>(int clients)>;

// The default effort, in events. Takes about a second.
constexpr int64_t kShrinkEvents = 1'200'000;

// Shrinks `choices`, which must violate `claim` in `scenario`. Removing one choice moves the places
// of all later ones, so they are searched anew:
// 1. Near the old places, so that there is a result in any case. This step comes second if there
//    are few choices.
// 2. At all places, smallest executions first, until the effort is used up. Of equally small ones
//    it prefers one that does not depend on short times (timing_dependence.h).
//
// Deterministic.
Shrunk Shrink(const Scenario& scenario, const sim::Deviations& choices, const std::string& claim,
              const PlanWithClients& with_clients, int64_t effort = kShrinkEvents);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SHRINK_H_
