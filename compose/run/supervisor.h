// Runs one plan on real servers: starts servers and clients, carries out the faults, ends all
// processes, and returns the history. One thread, one event loop.
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

// The progress of a run, for a progress line.
struct Progress {
  Duration elapsed{};
  int64_t grants = 0;
  int64_t orders = 0;
  int active_faults = 0;
};

struct SuperviseRequest {
  const Plan& plan;
  RunFacts facts;
  std::filesystem::path folder;  // exists and has plan.json; logs are written below it
  ServerProgram server;
  // Called a few times a second; may be empty. `snapshot` returns the history so far.
  std::function<void(const Progress&, const std::function<History()>& snapshot)> progress;
  bool watch_frames = false;  // whether to log frames; not possible if the plan is `direct`
};

struct Supervised {
  History history;
  SupervisorUse use;
  std::vector<Frame> frames{};  // empty unless watch_frames was set
};

// Runs the plan. The history is complete even if Ctrl-C ended the run or a client died. Returns an
// error if a server died, or if servers or clients could not be started; there is no history then.
// No process that it started is left when it returns.
Result<Supervised> Supervise(const SuperviseRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_SUPERVISOR_H_
