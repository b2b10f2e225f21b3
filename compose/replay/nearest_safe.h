// The nearest execution in which nothing is violated, to be read beside one in which something is.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_NEAREST_SAFE_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_NEAREST_SAFE_H_

#include <optional>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "compose/explore/replay_string.h"
#include "compose/explore/simulate.h"
#include "compose/replay/execution_story.h"

namespace doublehold {

struct SafeExecution {
  ReplayString replay;
  std::vector<std::string> without;  // the faults left out, such as "client 1 stopped for 640ms"
  std::vector<ExecutionStep> steps;
};

// Finds the longest prefix of the choices of `replay` with which all claims are valid. A choice
// names its place by number, and only a prefix keeps the numbers. Returns nothing if the whole
// execution violates no claim, or if no prefix is valid.
std::optional<SafeExecution> FindNearestSafe(const ReplayString& replay, const Scenario& scenario,
                                             const RunVerdict& verdict);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_NEAREST_SAFE_H_
