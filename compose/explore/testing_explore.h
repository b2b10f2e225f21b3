// For tests of what the simulator's search finds: plans as `doublehold explore` makes them, and
// what is violated in any execution.
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

// A lock, and what is to be searched for it.
struct Searched {
  std::string lock;
  std::vector<FaultForm> faults{};
  int depth = 1;
  SettingTexts more{};  // "claims": commas between them
  int clients = 2;
  int cycles = 1;
  int delays = 0;           // what is due within 2 ms may change places
  std::vector<int> most{};  // of each of the faults, in their order; empty: as many as the depth
};

inline void PrintTo(const Searched& searched, std::ostream* out) {
  *out << searched.lock << ", depth " << searched.depth << ", delays " << searched.delays;
}

Plan PlanOf(const Searched& searched);
Scenario ScenarioOf(const Searched& searched);
// Complete, and nothing cut off: else the test fails. `make`: of a lock in its place, if any.
Explored ExploreAll(const Searched& searched,
                    std::unique_ptr<Lock> (*make)(const LockContext&) = nullptr);
// Every execution that ExploreAll judges, in the order of their choices. Returns how many there
// are.
int64_t EachExecution(const Searched& searched,
                      const std::function<void(const Execution& execution)>& visit);
// "exclusion stock": what is violated in any execution, in the order of the plan's claims.
std::string Violated(const Explored& explored);
// The number of executions that violate it.
int64_t Count(const Explored& explored, std::string_view claim);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_TESTING_EXPLORE_H_
