// The options of all locks and of all workloads, each listed once. Used by `doublehold list
// lock-options`, `list workload-options` and docs/experiment-file.md.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_OPTION_ROWS_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_OPTION_ROWS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/options.h"

namespace doublehold {

struct OptionRow {
  std::string name;  // for example "lock.node-timeout"
  // For example "a duration: how long one node may take; default: 0.06 lease (redlock)".
  std::string meaning;
};

// Return the options sorted by name. An option that differs between locks or workloads has a row
// for each form.
std::vector<OptionRow> LockOptionRows();
std::vector<OptionRow> WorkloadOptionRows();

// Describes the values that an option accepts: "a whole number, 1 to 20".
std::string DescribeValues(const OptionSpec& spec);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_OPTION_ROWS_H_
