// A suite: a matrix of experiments, each with its expected outcomes. The file is read whole and
// checked before the first experiment starts.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_SUITE_H_
#define DOUBLEHOLD_COMPOSE_SUITE_SUITE_H_

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checker/rates/pool.h"
#include "checker/rates/until.h"
#include "checker/verdict/percentiles.h"
#include "compose/os/run_folder.h"
#include "compose/plan/service_rules.h"
#include "compose/suite/shard.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"
#include "lib/plan/settings.h"

namespace doublehold {

struct SuiteCell {
  std::string name;  // for example "redlock/pause"
  std::string row;
  std::string column;
  Plan plan;          // has the seed of the first repetition
  Settings settings;  // the settings that the plan was built from
  // The claim whose violation is a finding in the library; empty: the cell is none.
  std::string finding{};
  // Why the cell's driver cannot be used. If not empty, the cell is not run and is unknown.
  std::string unmet{};
};

// A comparison of the rows of a suite (comparison.h).
struct ComparisonPlan {
  std::string baseline;  // the row that all others are compared with
  Duration budget{};
  Until question;                   // asked of each cell that measures neither cost nor load
  std::vector<std::string> load{};  // the columns that are points of a load curve (load.h)
};
constexpr const char* kUsualBudget = "5m";
constexpr const char* kUsualQuestion = "rate < 10% @ 95%";

// A run takes about this time beyond its plan: it starts servers, and judges.
constexpr Duration kAroundARun = std::chrono::seconds(1);

struct Suite {
  std::string name;
  uint64_t seed = 1;
  std::string plans;  // digest of the plans of all cells of the file, apart from seeds and drivers
  std::vector<std::string> only{};  // the words of --only that chose the cells; empty: all
  std::string changed{};          // how --driver and --set differ from the file; empty: not at all
  std::vector<std::string> rows;  // row names in the order of the file
  std::vector<std::string> columns;
  std::map<std::string, std::string> about;  // column name to its description, if the file has one
  std::optional<ComparisonPlan> comparison{};
  std::vector<SuiteCell> cells;
};

// Adds a cell. Also adds its row and column if they are new.
void AddCell(Suite& suite, SuiteCell cell);
// Adds the cell that these settings describe. `where`: where the cell is named, for messages.
// Returns bad input for settings that cannot be planned, and for a cell that the suite has already.
Result<void> AddCellOf(Settings settings, const std::string& row, const std::string& column,
                       const std::string& where, Suite& suite);
// Sets seed and digest of a suite that has all its cells.
void FinishSuite(Suite& suite);

// Reads the baseline, budget ("5m") and question ("rate < 10% @ 95%") of a comparison. An empty
// baseline is the first row. `load`: the columns of the load curves. `where`: names them in
// messages. Returns bad input if the rows cannot be compared.
Result<void> SetComparison(const std::string& baseline, const std::string& budget,
                           const std::string& question, std::vector<std::string> load,
                           const std::string& where, Suite& suite);

// Reads a suite file:
//
//   name, seed
//   [experiment]    settings of every cell
//   [row.NAME]      further settings of the cells of a row
//   [column.NAME]   further settings of the cells of a column, and its description `about`
//   [[cell]]        row and column (a name or a list; lists are combined), further settings,
//                   expect, finding (a claim)
//   [compare]       compares the rows: baseline, budget, rate, load
//
// Starts no driver: drivers are assumed fully capable until QueryDrivers queries them.
Result<Suite> ReadSuite(const std::filesystem::path& file);

// Queries every driver of the shard's cells once. If this machine lacks a requirement of a driver,
// sets `unmet` of its cells; in a comparison, returns the driver's error instead. Returns bad input
// for any other error of a driver, and for a cell that a driver cannot run.
Result<void> QueryDrivers(Suite& suite, const Shard& shard = {});

struct MeasuredValue {
  double value = 0;
  std::string unit;
};

// The result of one run of one cell.
struct CellRun {
  std::filesystem::path folder;  // relative to the suite's folder
  uint64_t seed = 0;
  int exit_code = 0;
  std::string overall = "unknown";
  bool as_expected = false;
  double seconds = 0;
  std::string error;  // set if there is no verdict
  // Ended early, before it showed an unexpected violation. Its claims count nowhere, and a resumed
  // suite repeats it.
  bool cut_short = false;
  std::vector<std::string> findings{};  // claims that are not as expected, with their sentences
  // Faults whose planned effect was not reached, in sentences that no finding has.
  std::vector<std::string> untested{};
  RunTrials trials{};
  std::map<std::string, MeasuredValue> measures{};  // "acquire p50"; see formats.md
  std::map<std::string, Percentiles> latency{};     // by name: "acquire"
};

// Sets the fields of `run` from verdict.json; of a run that was cut short, only `cut_short`.
// Returns false, and changes nothing, if `verdict` is no verdict.
bool TakeVerdict(const nlohmann::json& verdict, CellRun& run);
// Notes that the run failed: it is not as expected, and of its verdict only a violation counts.
void TakeFailure(std::string error, CellRun& run);

// The progress of a suite, for a progress line.
struct SuiteProgress {
  size_t done = 0;
  size_t of = 0;                     // number of runs; with `until` the maximum
  std::vector<std::string> running;  // names of cells
  double seconds_left = 0;           // an estimate from the plans and the runs so far
};

struct MergedSuite;  // merge.h

struct SuiteRequest {
  const Suite& suite;
  std::filesystem::path folder;
  int repeat = 1;                // number of runs of a cell; with `until` the maximum
  std::optional<Until> until{};  // repeats every cell until this question is answered for it
  int jobs = 2;
  Shard shard{};
  bool resumes = false;        // keeps the finished runs in `folder`
  std::string resume_words{};  // the command that continues the suite, without its folder
  bool fails_fast = false;     // starts no more runs after the first that is not as expected
  // An earlier run, whose claims decide the exit status (baseline.h); null: none. Not owned.
  const MergedSuite* baseline = nullptr;
  HistoryFiles history = HistoryFiles::kBoth;
  ChosenPrograms programs{};
  std::function<void(const SuiteCell&, int repetition, const CellRun&)> finished;
  // Called once a second, and whenever a run ends; may be empty.
  std::function<void(const SuiteProgress&)> progress{};
};

struct SuiteResult {
  std::vector<std::vector<CellRun>> runs;  // indexed by cell, then by repetition
  std::vector<Repetitions> answers;        // one for each cell, if `until` was given
  double seconds = 0;
  bool interrupted = false;
  bool failed_fast = false;
  bool spent = false;    // the budget ended before all cells were decided
  size_t kept = 0;       // runs that were already finished
  size_t cut_short = 0;  // runs that ended early; `runs` does not have them
  // Runs that did not start because of an interrupt, an error or a failure, or that no part has.
  size_t not_begun = 0;
  [[nodiscard]] bool IsCut() const { return interrupted || cut_short + not_begun > 0; }
  // The error if a run could not be started or suite.json could not be written, for example because
  // the disk is full.
  std::optional<Error> error{};
};

// Returns the trials of all runs of a cell together.
RunTrials PoolTrials(const std::vector<CellRun>& runs);

// Runs every cell `repeat` times, or until its answer is known. Runs `jobs` processes at once, one
// for each run. Rewrites suite.json repeatedly, marked `interrupted`, so that it lists the finished
// runs if this process is killed. If a run cannot be started, starts no more, and returns the
// results of the finished runs.
SuiteResult RunSuite(const SuiteRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_SUITE_H_
