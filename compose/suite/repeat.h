// What `suite` and `run` share where experiments are repeated: the options for it, and what is told
// at the end. All of it prints to stdout.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_REPEAT_H_
#define DOUBLEHOLD_COMPOSE_SUITE_REPEAT_H_

#include "compose/options/command_line.h"
#include "compose/suite/suite.h"
#include "lib/base/result.h"

namespace doublehold {

// --repeat, --until, --jobs.
void AddRepeatOptions(boost::program_options::options_description& options, int jobs);

// What those options, --redis-server and --out say. `suite` need not have been read yet.
Result<SuiteRequest> ReadRepeat(const ParsedLine& line, const Suite& suite);

// Whether all that is asked of the cells can be answered, and the machine has what they need.
Result<void> CheckRepeat(const SuiteRequest& request);

// 1: a run was violated, or not as expected; else 4: one could not be made; else 2: one is
// undecided.
ExitCode StatusOf(const SuiteResult& result);

enum class Told : uint8_t { kLines, kJson, kNothing };
// Runs the cells in a new folder below --out, writes the file that --junit names, tells.
Result<ExitCode> RunAndTell(SuiteRequest& request, const ParsedLine& line, Told told);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_REPEAT_H_
