// The runs of a suite's folder: where they are stored, and which of them an interrupted suite has
// finished.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_STORED_RUNS_H_
#define DOUBLEHOLD_COMPOSE_SUITE_STORED_RUNS_H_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "compose/suite/suite.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

// Returns the plan of a repetition, counted from 1. Repetitions differ only in their seeds. The
// runs of a repetition have the same seed in all cells with the same first seed.
Plan PlanOfRun(const SuiteCell& cell, int repetition);
// Returns the run's folder, relative to the suite's folder.
std::filesystem::path FolderOfRun(const SuiteCell& cell, int repetition);

// Returns the repetition of a run in this folder, or 0 if the cell has no such folder.
int RepetitionOf(const std::filesystem::path& folder, const SuiteCell& cell);

// Locks the folder until this process ends, so that only one process runs a suite in it. Returns
// bad input if another process has locked it.
Result<void> LockSuiteFolder(const std::filesystem::path& folder);

// Compares two suite.json: name, seed, options and plans of the suite, and version of the program.
// `where`: names the stored one in the message. `of_one_part`: they must also be of the same shard.
// Returns bad input if they are of different suites.
Result<void> CheckSameSuite(const nlohmann::json& stored, const nlohmann::json& asked,
                            const std::string& where, bool of_one_part);

// Checks that the request's folder has the same suite with the same options, and for each run that
// is there the plan of the suite file. Otherwise returns bad input. So a resumed suite leaves out
// no run that the folder has.
Result<void> CheckResumable(const SuiteRequest& request);

// Reads a run that is finished: its plan, verdict and history are whole, and it was not cut short.
// A violated run with damaged files is finished too, with an error. Returns nothing for any other
// run.
std::optional<CellRun> ReadFinishedRun(const std::filesystem::path& suite, const SuiteCell& cell,
                                       int repetition);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_STORED_RUNS_H_
