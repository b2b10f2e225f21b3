// The options of repeated runs, and the summary on stdout. Shared by `suite` and `run`.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_REPEAT_H_
#define DOUBLEHOLD_COMPOSE_SUITE_REPEAT_H_

#include <functional>

#include "compose/options/command_line.h"
#include "compose/suite/merge.h"
#include "compose/suite/suite.h"
#include "lib/base/result.h"

namespace doublehold {

constexpr int kSuiteJobs = 2;  // the usual --jobs of many runs

// Adds --repeat, --until, --jobs, --history and --no-color.
void AddRepeatOptions(boost::program_options::options_description& options, int jobs);
void AddJUnitOption(boost::program_options::options_description& options);
// Returns bad input if the folder of the file that --junit names does not exist.
Result<void> CheckJUnit(const ParsedLine& line);

void AddBaselineOption(boost::program_options::options_description& options);
// Reads the suite that --baseline names. Returns nothing if the line does not have the option.
Result<std::optional<MergedSuite>> ReadBaselineOption(const ParsedLine& line, const Suite& suite);

// Reads --history. Returns kBoth if the command does not have the option.
Result<HistoryFiles> ReadHistoryFiles(const ParsedLine& line);

// Checks --repeat and --jobs.
Result<void> CheckCounts(const SuiteRequest& request);

// Reads these options, those of servers' programs (program_options.h) and --out. `suite` may still
// be empty; it must outlive the request.
Result<SuiteRequest> ReadRepeat(const ParsedLine& line, const Suite& suite);

// Takes over the question and the budget of a comparison, if the suite is one. Returns bad input if
// the budget is too short for one block, or if --until asks another question.
Result<void> PlanComparison(SuiteRequest& request);

// Checks that every cell judges the claim in --until, and that this machine can run every cell.
Result<void> CheckRepeat(const SuiteRequest& request);

// Returns the first status that applies:
// - 1: a run was violated or not as expected;
// - 4: a run failed: it has no verdict, or could not write all its files;
// - 2: a run is undecided;
// - 0: all runs are as expected.
ExitCode SuiteExitCode(const SuiteResult& result);

// Returns a function that prints the progress as a line every ten seconds, for an output that is
// not a terminal.
std::function<void(const SuiteProgress&)> ProgressInLines();

enum class SummaryForm : uint8_t { kLines, kJson, kNothing };
// Prints the summary and writes the file that --junit names. Returns the exit status.
Result<ExitCode> PrintResult(const SuiteRequest& request, const SuiteResult& result,
                             const ParsedLine& line, SummaryForm summary);
// Runs the cells in a new folder below --out, or continues an interrupted suite. Then prints the
// result.
Result<ExitCode> RunAndPrint(SuiteRequest& request, const ParsedLine& line, SummaryForm summary);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_REPEAT_H_
