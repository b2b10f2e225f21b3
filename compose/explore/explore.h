// Searches simulated executions for violations. Runs the unmodified lock and workload in the
// simulator, with every placement of a bounded number of faults or with placements drawn at random.
// The checkers that judge runs on real servers judge each execution.
//
// The result does not depend on the number of threads: the parts of a search are counted in a fixed
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
  int depth = 1;   // maximum number of faults in one execution
  int delays = 0;  // maximum number of delays; a delay defers an event behind the next event
  std::map<FaultForm, int> most{};  // maximum per fault kind; a missing kind has the limit `depth`
  // Maximum number of executions; 0: no limit. Only an exhaustive search may have no limit.
  int64_t executions = 0;
  StrategyKind strategy = StrategyKind::kExhaustive;
  uint64_t seed = 1;  // seed of all random choices
  int jobs = 1;       // number of threads
  // Limit of the frontier: the executions whose continuations are still to be run.
  int64_t memory_bytes = int64_t{1} << 30;
  bool reduce = true;  // an exhaustive search goes on only once from equal states
  // Whether a search that compares states may at first leave the clients' clocks out of them, in
  // the hope that no client reads one. The result is the same.
  bool tries_without_clocks = true;
  // If not empty, only these blocks of the last level are run. Then the search is not complete.
  std::vector<bool> sample{};
  bool run_twice = false;  // runs each execution again in a fresh world and compares the two

  // Whether the search goes on only once from equal states.
  [[nodiscard]] bool ComparesStates() const {
    return strategy == StrategyKind::kExhaustive && reduce;
  }
};

// The result of the search for one claim.
struct Found {
  std::string claim;
  int64_t violated = 0;  // number of executions that violate the claim
  int64_t unknown = 0;   // number of executions in which the claim is unknown
  // An execution that violates the claim. If no execution violates it, an execution in which the
  // claim is unknown. Chosen by, in this order:
  // 1. the fewest deviations,
  // 2. the least unusual faults (their order in FaultForm),
  // 3. the order of the search.
  sim::Deviations shortest{};
  int how_unusual = 0;
  std::string sentence{};  // describes the violation in `shortest`, or the reason for unknown
};

// The executions of one number of deviations. They are in blocks of about equal size. Each block
// has a digest of all that its executions recorded and of their outcomes, and their counts.
constexpr size_t kLevelBlocks = 64;
struct Level {
  int64_t executions = 0;
  int64_t run = 0;
  std::array<uint64_t, kLevelBlocks> digests{};
  // Executions, those run, and for each claim: those that violate it, and those that leave it
  // unknown. Empty for a block without executions.
  std::array<std::vector<int64_t>, kLevelBlocks> counts{};
};

enum class Ended : uint8_t { kAllRun, kPart, kBudget, kMemory, kInterrupted };

// Returns the `part`-th (from 1) of `parts` parts of about equal size, as Bounds::sample.
std::vector<bool> BlocksOf(int part, int parts);

struct Explored {
  int64_t executions = 0;
  // Of these, the executions that were run. Each of the others goes on like one that was run, from
  // a state that both reach, and is judged alike.
  int64_t run = 0;
  int64_t different = 0;  // executions with distinct histories, as a checker sees them
  int64_t cut_off = 0;
  int64_t unequal = 0;  // executions that differed when they were run twice
  sim::Deviations first_unequal{};
  Ended ended = Ended::kAllRun;
  bool is_complete = true;  // whether all executions within the bounds were run
  std::vector<Found> claims;
  MarkSet marks{};     // marks that any execution reached
  int64_t points = 0;  // points of the plain execution at which a fault can begin
  int64_t points_struck = 0;
  // Progress: `level` is the number of deviations of the current executions. Of the `parts` of this
  // round, `parts_done` were run.
  int level = 0;
  size_t parts_done = 0, parts = 0;
  // Whether the states had the clients' clocks, because a client read one.
  bool clocks_were_read = false;
  std::vector<Level> levels{};  // of an exhaustive search: by number of deviations
};

Explored Explore(const Scenario& scenario, const Bounds& bounds,
                 const std::function<void(const Explored&)>& progress);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_EXPLORE_H_
