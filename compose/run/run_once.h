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
  // The error of the first file that could not be written, for example because the disk is full.
  // The later files were written if possible.
  std::optional<Error> unwritten{};
  std::optional<Duration> interrupted{};  // as in Supervised
};

// Runs the experiment. Writes plan.json, history.bin, history.jsonl (if requested) and verdict.json
// into the folder. Returns a verdict even if files cannot be written.
Result<JudgedRun> RunAndJudge(const RunRequest& request);
// Like RunAndJudge, but returns an error if a file cannot be written, or if the run was interrupted
// (kUnknown).
Result<RunVerdict> RunOnce(const RunRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
