// Runs one experiment from its plan to its verdict, and writes all its files.
#ifndef DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
#define DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_

#include <filesystem>
#include <functional>
#include <string>

#include "checker/judge.h"
#include "compose/run/supervisor.h"
#include "lib/plan/plan.h"

namespace doublehold {

struct RunRequest {
  Plan plan;
  std::filesystem::path folder;  // the folder of this run; MakeRunFolder has made it
  ServerProgram server;
  std::function<void(const Progress&, const std::function<History()>& snapshot)> progress;
  std::vector<Frame>* frames =
      nullptr;  // if not null, gets the frames on the wire, and the run writes frames.jsonl
};

// Runs the experiment. Writes plan.json, history.bin, history.jsonl and verdict.json into the
// folder.
Result<RunVerdict> RunOnce(const RunRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
