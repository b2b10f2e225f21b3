// Tells an execution in numbered steps, each with its time and client. Shows faults where they
// begin, and violations where they become visible.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/history/history.h"

namespace doublehold {

struct ExecutionStep {
  // Done by a process, caused by a fault, found by a checker.
  enum class Kind : uint8_t { kDone, kFault, kFound };
  int64_t at_ns = 0;
  Kind kind = Kind::kDone;
  std::string text;  // for example "client 1 is granted item-0"
};
// Requires that `verdict` belongs to `history`. Successive refused attempts of one client are one
// step.
std::vector<ExecutionStep> StepsOf(const History& history, const RunVerdict& verdict);

// For example:
//
//    3     0.100 ms    client 1 is granted dh:item:0, having asked at 0.000 ms; its lease runs ...
//    4     0.100 ms  ! client 1 stopped for 640ms
//   11   440.200 ms  * exclusion: two hold dh:item:0, client 1 and client 2
std::string ToText(const std::vector<ExecutionStep>& steps);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_
