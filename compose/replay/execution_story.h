// Describes an execution in numbered steps, each with its time and client. Shows faults where they
// begin, and violations where they become visible.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/history/frame.h"
#include "lib/history/history.h"

namespace doublehold {

struct ExecutionStep {
  // An action of a process, a fault, or a violation that a checker found.
  enum class Kind : uint8_t { kDone, kFault, kFound };
  int64_t at_ns = 0;
  Kind kind = Kind::kDone;
  std::string text;         // for example "client 1 is granted item-0"
  size_t events = 0;        // length of the shortest prefix of the history that contains this step
  std::string claim{};      // of a violation: the violated claim
  bool tells_last = false;  // whether it tells of the last event of that prefix
};
// Requires that `verdict` and `frames` belong to `history`. The step of a call is at the time when
// a server carried it out; a much later answer has its own step. The step of a grant is at the time
// of its answer. Successive refused attempts of one client are one step.
std::vector<ExecutionStep> DescribeSteps(const History& history, const RunVerdict& verdict,
                                         const std::vector<Frame>& frames);

// For example:
//
//    1     0.200 ms    client 1 is granted dh:item:0; its lease runs until 400.100 ms
//    2     0.200 ms  ! client 1 stopped for 640ms
//    6   454.179 ms  * exclusion is violated: client 1, which holds since 0.200 ms, and ...
std::string ToText(const std::vector<ExecutionStep>& steps);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_
