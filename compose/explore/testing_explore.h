// For tests of the search: builds plans as `doublehold explore` does, and lists the claims that any
// execution violates.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_TESTING_EXPLORE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_TESTING_EXPLORE_H_

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compose/explore/explore.h"

namespace doublehold {

using SettingTexts = std::map<std::string, std::string>;

// A search: a lock and its bounds.
struct Searched {
  std::string lock;
  std::vector<FaultForm> faults{};
  int depth = 1;
  SettingTexts more{};  // further settings; a list, such as "claims", is separated by commas
  int clients = 2;
  int cycles = 1;
  int delays = 0;  // maximum number of delays among events within 2 ms of each other
  // The maximum of each of `faults`, in their order. If the list is empty, only `depth` limits the
  // faults.
  std::vector<int> most{};
};

inline void PrintTo(const Searched& searched, std::ostream* out) {
  *out << searched.lock << ", depth " << searched.depth << ", delays " << searched.delays;
}

Plan PlanOf(const Searched& searched);
Scenario ScenarioOf(const Searched& searched);
// Runs the search. Fails the test unless the search is complete and no execution was cut off. If
// `make` is not null, it makes the lock.
Explored ExploreAll(const Searched& searched,
                    std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr);
// Calls `visit` for every execution that ExploreAll judges, in the order of the choices. Returns
// the number of these executions.
int64_t EachExecution(const Searched& searched,
                      const std::function<void(const Execution& execution)>& visit);
// Returns the claims that any execution violates, in the order of the plan's claims: "exclusion
// stock".
std::string Violated(const Explored& explored);
// Returns the number of executions that violate the claim.
int64_t Count(const Explored& explored, std::string_view claim);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_TESTING_EXPLORE_H_
