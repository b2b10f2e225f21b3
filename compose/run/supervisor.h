// Runs one plan on real servers: starts them and the clients, carries the faults out, ends
// everything, and brings home the history. One thread, one event loop.
#ifndef DOUBLEHOLD_COMPOSE_RUN_SUPERVISOR_H_
#define DOUBLEHOLD_COMPOSE_RUN_SUPERVISOR_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compose/cluster/redis/server.h"
#include "compose/os/supervisor_resources.h"
#include "compose/run/frame_log.h"
#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/plan/plan.h"

namespace doublehold {

// How far a run is, for a progress line.
struct Progress {
  Duration elapsed{};
  int64_t grants = 0;
  int64_t orders = 0;
  int active_faults = 0;
};

struct SuperviseRequest {
  const Plan& plan;
  RunFacts facts;
  std::filesystem::path folder;  // exists; has plan.json; logs go below it
  ServerProgram server;
  // Called a few times a second; may be empty. `snapshot` brings home the history so far.
  std::function<void(const Progress&, const std::function<History()>& snapshot)> progress;
  bool watch_frames =
      false;  // what clients and servers say to each other; not with a plan that is `direct`
};

struct Supervised {
  History history;
  SupervisorUse use;
  std::vector<Frame> frames{};  // where they were watched
};

// The history is complete even when the run was ended by Ctrl-C or a client died. An error when a
// server died, or when servers or clients could not be started: then there is nothing to judge.
// Everything it started has ended when it returns.
Result<Supervised> Supervise(const SuperviseRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_SUPERVISOR_H_
