// Changes a suite's cells from the command line, such as to run a finding with a patched library.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_CHANGED_CELLS_H_
#define DOUBLEHOLD_COMPOSE_SUITE_CHANGED_CELLS_H_

#include <boost/program_options/options_description.hpp>

#include "compose/options/command_line.h"
#include "compose/suite/suite.h"
#include "lib/base/result.h"

namespace doublehold {

// Adds --driver and --set.
void AddChangeOptions(boost::program_options::options_description& options);

// Replaces the driver of each cell by that of --driver, adds the settings of --set, and describes
// both in `suite.changed`. The digest `suite.plans` stays that of the file, so that a run of the
// unchanged suite can be the baseline. Returns bad input for --driver if a cell has no driver, or
// if the cells have drivers of different libraries.
Result<void> ChangeCells(const ParsedLine& line, Suite& suite);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_CHANGED_CELLS_H_
