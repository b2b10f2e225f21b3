// From an execution that violates a claim to a small one that violates the same claim: fewer
// faults, then fewer clients, then fewer cycles, then fewer delays.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_SHRINK_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_SHRINK_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compose/explore/simulate.h"

namespace doublehold {

struct Shrunk {
  Scenario
      scenario;  // with the faults alone that strike, and an order of its own only where that is needed
  sim::Deviations choices;
  std::string sentence;
  // No execution violates the claim that has faults of the same kinds but fewer of them; or as
  // many, and fewer clients; or those, and fewer cycles; or those, and fewer delays. False: to look
  // through all of these would have taken too long.
  bool is_smallest = true;
  int64_t executions = 0;  // that it took
};

// The same experiment with fewer clients; nothing: there is none.
using PlanWithClients = std::function<std::optional<Plan>(int clients)>;

// How much is tried: as many events as so many executions come to. About a second.
constexpr int64_t kShrinkEvents = 1'200'000;

// What is left out moves the places of all that follows. So what stays is looked for anew:
// everywhere, from the smallest on, as long as the effort goes, and of equals rather one that does
// not hang on short times (shaken.h); before that near its old place, so that there is something to
// show in any case. `choices` violate `claim` in `scenario`. Deterministic.
Shrunk Shrink(const Scenario& scenario, const sim::Deviations& choices, const std::string& claim,
              const PlanWithClients& with_clients, int64_t effort = kShrinkEvents);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_SHRINK_H_
