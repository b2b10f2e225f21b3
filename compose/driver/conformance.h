// What a driver must do, asked of two of its processes on one server: `doublehold driver check`.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_CONFORMANCE_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_CONFORMANCE_H_

#include <functional>
#include <map>
#include <string>

#include "lib/redis/address.h"

namespace doublehold {

struct TrialStep {
  std::string what;         // "a second client is refused"
  std::string wrong;        // empty: it did what it must
  bool no_program = false;  // there is none that could do anything
};

// Calls `told` after each step. Ends early when a driver breaks the protocol.
void TryDriver(const std::string& command, const std::map<std::string, std::string>& options,
               const NodeAddress& server, const std::function<void(const TrialStep&)>& told);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_CONFORMANCE_H_
