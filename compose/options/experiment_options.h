// What `run` and `sweep` share: how an experiment is said on the command line.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_

#include <string>

#include "compose/options/command_line.h"
#include "lib/base/result.h"
#include "lib/plan/settings.h"

namespace doublehold {

// Short forms of the settings used most (--lock, --lease, ...), and --set, which reaches all of
// them. Those that are named in `refused` go into `hidden`.
void AddExperimentOptions(boost::program_options::options_description& options,
                          boost::program_options::options_description& hidden,
                          const Words& refused = {});
// The first of those options that a line has; empty: none.
std::string ExperimentOptionIn(const ParsedLine& line);

// An experiment's file, if one is named, and over it those options, --faults and --direct.
Result<Settings> ReadExperiment(const ParsedLine& line);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_EXPERIMENT_OPTIONS_H_
