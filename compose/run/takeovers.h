// Takeovers that no fault of the run caused, as the history records them.
#ifndef DOUBLEHOLD_COMPOSE_RUN_TAKEOVERS_H_
#define DOUBLEHOLD_COMPOSE_RUN_TAKEOVERS_H_

#include <array>
#include <cstddef>
#include <map>

#include "lib/base/event.h"
#include "lib/history/history.h"

namespace doublehold {

// Each node has one fault for all its takeovers. So the checkers treat them as they treat a
// `promote`: they may explain a violation, and have a cause, a time and a lane.
class Takeovers {
 public:
  // Clients of the node were led to another server just now. Adds a takeover to the facts, and
  // returns the start and the end of its fault.
  std::array<Event, 2> Note(int node, RunFacts& facts);

 private:
  std::map<int, size_t> faults_;  // by node: the index among the facts' faults
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_TAKEOVERS_H_
