// `doublehold driver check`: tests whether a driver follows its protocol, with two processes of the
// driver and one server.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_CONFORMANCE_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_CONFORMANCE_H_

#include <functional>
#include <map>
#include <string>

#include "lib/base/address.h"
#include "lib/base/result.h"
#include "lib/base/time.h"

namespace doublehold {

struct TrialStep {
  std::string what;         // for example "a second client is refused"
  std::string wrong;        // empty: the step passed
  bool no_program = false;  // whether the command starts no program at all
};

// The server of the drivers' locks. Its functions may wait.
struct TrialServer {
  NodeAddress address;
  std::function<void()> close_connections;           // of all clients; new ones are accepted
  std::function<Result<void>(Duration)> lose_locks;  // of a service with sessions: by a cut so long
};

// Calls `on_step` after each step. Ends early if a driver breaks the protocol.
void TryDriver(const std::string& command, const std::map<std::string, std::string>& options,
               const TrialServer& server, const std::function<void(const TrialStep&)>& on_step);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_CONFORMANCE_H_
