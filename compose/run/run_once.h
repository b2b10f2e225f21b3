// One experiment from plan to verdict, with all its files.
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
  std::filesystem::path folder;  // of this run, made by MakeRunFolder
  ServerProgram server;
  std::function<void(const Progress&, const std::function<History()>& snapshot)> progress;
  std::vector<Frame>* frames =
      nullptr;  // where to put what was said on the wire, which is written to frames.jsonl too
};

// Runs it; writes plan.json, history.bin, history.jsonl and verdict.json into the folder.
Result<RunVerdict> RunOnce(const RunRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
