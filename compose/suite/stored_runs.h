// The runs of a suite's folder: where they are stored, and which of them an interrupted suite has
// finished.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_STORED_RUNS_H_
#define DOUBLEHOLD_COMPOSE_SUITE_STORED_RUNS_H_

#include <filesystem>
#include <optional>

#include "compose/suite/suite.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Returns the plan of a repetition, counted from 1. Repetitions differ only in their seeds.
Plan PlanOfRun(const SuiteCell& cell, int repetition);
// Returns the run's folder, relative to the suite's folder.
std::filesystem::path FolderOfRun(const SuiteCell& cell, int repetition);

// Locks the folder until this process ends, so that only one process runs a suite in it. Returns
// bad input if another process has locked it.
Result<void> LockSuiteFolder(const std::filesystem::path& folder);

// Checks that the request's folder has an interrupted run of the same suite: the same name, and for
// each run that is there the plan of the suite file. Otherwise returns bad input.
Result<void> CheckResumable(const SuiteRequest& request);

// Reads a run that is finished: it was not interrupted, and its plan, verdict and history are
// whole.
// Returns nothing for any other run.
std::optional<CellRun> ReadFinishedRun(const std::filesystem::path& suite, const SuiteCell& cell,
                                       int repetition);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_STORED_RUNS_H_
