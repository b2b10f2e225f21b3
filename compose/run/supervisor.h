// Runs one plan on real servers: starts servers and clients, carries out the faults, ends all
// processes, and returns the history. Uses one thread and one event loop.
#ifndef DOUBLEHOLD_COMPOSE_RUN_SUPERVISOR_H_
#define DOUBLEHOLD_COMPOSE_RUN_SUPERVISOR_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compose/cluster/service.h"
#include "compose/os/end_signals.h"
#include "compose/os/run_folder.h"
#include "compose/os/supervisor_resources.h"
#include "compose/run/frame_log.h"
#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/history/shared_run.h"
#include "lib/plan/plan.h"

namespace doublehold {

// The progress of a run, for a progress line.
struct Progress {
  Duration elapsed{};
  int64_t grants = 0;
  int64_t orders = 0;
  int active_faults = 0;
};

struct RunRequest {
  Plan plan;
  std::filesystem::path folder;  // the folder of this run; exists
  ServerPrograms programs;
  // Called a few times a second; may be empty. `snapshot` returns the history so far.
  std::function<void(const Progress&, const std::function<History()>& snapshot)> progress;
  // If not null, receives the frames on the wire. Must be null if the plan is `direct`.
  std::vector<Frame>* frames = nullptr;
  HistoryFiles history = HistoryFiles::kBoth;
  // Called when the history has been written, before it is judged; may be empty.
  std::function<void()> on_written{};
  // Whether to write and judge what was recorded even if this process is killed during the run.
  bool keep_if_killed = false;
};

struct Supervised {
  History history;
  SupervisorUse use;
  std::string version;  // of the locks' servers
  // A signal that ends the program waits until the history is written.
  std::shared_ptr<EndSignalsBlocked> until_written{};
  // Set if SIGINT, SIGTERM or SIGHUP ended the run early: how long its clients had worked.
  std::optional<Duration> interrupted{};
};

// Runs the plan. The folder must have plan.json; logs are written into it. The history is complete
// even if Ctrl-C ended the run or a client died. Returns an error and no history if a server died,
// or if servers or clients could not be started. All processes that it started have ended when it
// returns.
// `shared`: the memory from CreateSharedRun, into which the run is recorded.
// `sockets`: the folder of the servers' sockets and data.
Result<Supervised> Supervise(const RunRequest& request, SharedRun& shared,
                             const std::filesystem::path& sockets);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_SUPERVISOR_H_
