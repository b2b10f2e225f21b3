// The options of an experiment, shared by `run`, `sweep` and `explore`.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_

#include <string>

#include "compose/options/command_line.h"
#include "lib/base/result.h"
#include "lib/plan/settings.h"

namespace doublehold {

// Adds an option for each of the most used settings (--lock, --lease, ...), and --set for all
// settings. Adds the options that `refused` names to `hidden`.
void AddExperimentOptions(boost::program_options::options_description& options,
                          boost::program_options::options_description& hidden,
                          const Words& refused = {});
// Returns the first of these options that the line has, or an empty text if it has none.
std::string ExperimentOptionIn(const ParsedLine& line);

// Adds the settings of --set, --option and --limit, if the line has them.
Result<void> ReadAssignments(const ParsedLine& line, Settings& settings);

// Reads the experiment file, if the line names one. These options, --faults and --direct override
// its settings.
Result<Settings> ReadExperiment(const ParsedLine& line);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_
