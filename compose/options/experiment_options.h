// The options of an experiment, shared by `run`, `sweep` and `explore`.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_

#include <string>

#include "compose/options/command_line.h"
#include "lib/base/result.h"
#include "lib/plan/settings.h"

namespace doublehold {

// Adds short forms of the most used settings (--lock, --lease, ...), and --set for all settings.
// The options that `refused` names go into `hidden`.
void AddExperimentOptions(boost::program_options::options_description& options,
                          boost::program_options::options_description& hidden,
                          const Words& refused = {});
// The first of these options that the line has; empty: none.
std::string ExperimentOptionIn(const ParsedLine& line);

// Reads the experiment file, if there is one, and then these options, --faults and --direct over
// it.
Result<Settings> ReadExperiment(const ParsedLine& line);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_
