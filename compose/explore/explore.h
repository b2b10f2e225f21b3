// The simulator's search: a lock and a workload as they are, in a simulated world, with every
// placement of so many faults (or as many drawn at random), judged by the same checkers as a run on
// real servers.
//
// What is found does not depend on how many threads look: parts are taken in, and counted, in one
// order.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_H_

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/measures/coverage_marks.h"
#include "compose/explore/simulate.h"
#include "lib/sim/choices/choice.h"

namespace doublehold {

enum class StrategyKind : uint8_t { kExhaustive, kRandom, kPct };
struct StrategyEntry {
  StrategyKind strategy;
  std::string_view name;
};
constexpr std::array<StrategyEntry, 3> kStrategies{{{StrategyKind::kExhaustive, "exhaustive"},
                                                    {StrategyKind::kRandom, "random"},
                                                    {StrategyKind::kPct, "pct"}}};

struct Bounds {
  int depth = 1;                    // faults in one execution, at most
  int delays = 0;                   // how often, at most, what is due waits for what comes next
  std::map<FaultForm, int> most{};  // of one kind; not there: as many as the depth
  int64_t executions = 0;  // at most; 0: no limit, which only an exhaustive search can do without
  StrategyKind strategy = StrategyKind::kExhaustive;
  uint64_t seed = 1;  // of what is drawn
  int jobs = 1;       // threads
  int64_t memory_bytes =
      int64_t{1} << 30;    // of what is kept of executions whose continuations are still to be run
  bool reduce = true;      // an exhaustive search leaves out what comes to the same as another
  bool run_twice = false;  // each, in worlds of their own, to see that they are equal
};

// What became of a claim within the bounds.
struct Found {
  std::string claim;
  int64_t violated = 0;  // executions
  int64_t unknown = 0;   // likewise
  // Of those that violate it, or, where none does, of those in which it is unknown: with the fewest
  // deviations, of these with the least unusual faults (their order in FaultForm), of these the
  // first.
  sim::Deviations shortest{};
  int how_unusual = 0;
  std::string sentence{};  // of that one, or why it is unknown
};

enum class Ended : uint8_t { kAllRun, kBudget, kMemory };

struct Explored {
  int64_t executions = 0;
  // Not of these: they differ from one of these only in the order of two things at one instant that
  // do not depend on each other. What could have followed on them is left out as well.
  int64_t left_out = 0;
  int64_t different = 0;  // of these: that differ in anything that a checker sees
  int64_t cut_off = 0;
  int64_t unequal = 0;  // when run twice
  sim::Deviations first_unequal{};
  Ended ended = Ended::kAllRun;
  bool is_complete = true;  // all within the bounds
  std::vector<Found> claims;
  MarkSet marks{};     // that any execution came by
  int64_t points = 0;  // where a fault can strike while nothing has gone wrong yet
  int64_t points_struck = 0;
  // While it goes on: how many deviations the executions have now, and how far their starts are
  // used up.
  int level = 0;
  size_t parts_done = 0, parts = 0;
};

Explored Explore(const Scenario& scenario, const Bounds& bounds,
                 const std::function<void(const Explored&)>& progress);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_H_
