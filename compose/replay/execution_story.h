// An execution as a story: numbered steps, each with when, who and what, with the faults where they
// struck and with what the checkers found where it can be seen.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/history/history.h"

namespace doublehold {

struct ExecutionStep {
  enum class Kind : uint8_t { kDone, kFault, kFound };  // by somebody, to somebody, by a checker
  int64_t at_ns = 0;
  Kind kind = Kind::kDone;
  std::string text;  // "client 1 is granted item-0"
};
// `verdict` is of `history`. Tries of one client that were refused one after the other are one
// step.
std::vector<ExecutionStep> StepsOf(const History& history, const RunVerdict& verdict);

//    3     0.100 ms    client 1 is granted dh:item:0, having asked at 0.000 ms; its lease runs until 400.000 ms
//    4     0.100 ms  ! client 1 stopped for 640ms
//   11   440.200 ms  * exclusion: two hold dh:item:0, client 1 and client 2
std::string ToText(const std::vector<ExecutionStep>& steps);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_EXECUTION_STORY_H_
