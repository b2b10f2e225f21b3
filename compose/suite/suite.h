// A suite: a matrix of experiments, each with what it expects. Read whole and checked before the
// first one starts.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_SUITE_H_
#define DOUBLEHOLD_COMPOSE_SUITE_SUITE_H_

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/rates/pool.h"
#include "checker/rates/until.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"
#include "lib/plan/settings.h"

namespace doublehold {

struct SuiteCell {
  std::string name;  // "redlock/pause"
  std::string row;
  std::string column;
  Plan plan;            // its seed is of the first repetition
  Settings settings;    // that it was made of
  std::string unmet{};  // why its driver cannot be had; then it is not run, and unknown
};

struct Suite {
  std::string name;
  uint64_t seed = 1;
  std::vector<std::string> rows;  // in the order of the file
  std::vector<std::string> columns;
  std::map<std::string, std::string> about;  // what happens in a column, where the file says it
  std::vector<SuiteCell> cells;
};

// The cells number, number + of, ... (counted from 1)
struct Shard {
  int number = 1, of = 1;
  [[nodiscard]] bool Has(size_t cell) const { return static_cast<int>(cell) % of == number - 1; }
};

// With its row and column, where they are new.
void AddCell(Suite& suite, SuiteCell cell);

// The file:
//   name, seed
//   [experiment]     settings of every cell
//   [row.NAME]       further settings of the cells of a row;  [column.NAME] likewise, and what it is `about`
//   [[cell]]         row, column (each a name, or a list: every one with every other), further settings, expect
// No driver is started: each is taken for one that can everything, until it is met.
Result<Suite> ReadSuite(const std::filesystem::path& file);

// Asks every driver of the shard's cells what it is, once for all cells that have it. Those that
// this machine lacks something for are unmet; what is wrong with the others, or with what a cell
// asks of them, is bad input.
Result<void> MeetDrivers(Suite& suite, Shard shard = {});

// One run of one cell, as it ended.
struct CellRun {
  std::filesystem::path folder;  // below the suite's
  uint64_t seed = 0;
  int exit_code = 0;
  std::string overall = "unknown";
  bool as_expected = false;
  double seconds = 0;
  std::string error;         // when there is no verdict
  bool interrupted = false;  // cut short together with the suite, and so undecided
  RunTrials trials{};
};

struct SuiteRequest {
  const Suite& suite;
  std::filesystem::path folder;
  int repeat = 1;                // with `until`: at most
  std::optional<Until> until{};  // every cell is repeated until this is answered of it
  int jobs = 2;
  Shard shard{};
  std::string redis_server;
  std::function<void(const SuiteCell&, int repetition, const CellRun&)> finished;
};

struct SuiteResult {
  std::vector<std::vector<CellRun>> runs;  // by cell, then by repetition
  std::vector<Repetitions> answers;        // by cell, where `until` was asked
  double seconds = 0;
  bool interrupted = false;
  size_t not_begun = 0;  // runs, because it was interrupted
};

// What the runs of a cell come to together.
RunTrials PooledOf(const std::vector<CellRun>& runs);

// Runs every cell `repeat` times, or until it is answered, `jobs` at once, each in a process of its
// own. Writes suite.json.
Result<SuiteResult> RunSuite(const SuiteRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_SUITE_H_
