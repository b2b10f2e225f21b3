// Runs one experiment from its plan to its verdict, and writes all its files.
#ifndef DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
#define DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_

#include <optional>
#include <string>

#include "checker/judge.h"
#include "compose/run/supervisor.h"

namespace doublehold {

struct JudgedRun {
  RunVerdict verdict;
  std::string json;  // the text of verdict.json
  // The first file that could not be written, for example because the disk is full. The files after
  // it were tried all the same.
  std::optional<Error> unwritten{};
  bool interrupted = false;
};

// Runs the experiment. Writes plan.json, history.bin, history.jsonl (if asked for) and
// verdict.json into the folder. A verdict is returned even if its files cannot be written.
Result<JudgedRun> RunAndJudge(const RunRequest& request);
// The same, but a file that cannot be written is an error, and so is an interrupted run (kUnknown).
Result<RunVerdict> RunOnce(const RunRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
