// The options that locks, or workloads, add to an experiment file, each told once: for `doublehold
// list lock-options`, `list workload-options` and docs/experiment-file.md, which has them from
// here.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_OPTION_ROWS_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_OPTION_ROWS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/options.h"

namespace doublehold {

struct OptionRow {
  std::string name;     // "lock.node-timeout"
  std::string meaning;  // "a duration: how long one node may take; not said: 0.06 lease (redlock)"
};

// Of all locks, then of all workloads, by name. One that differs from part to part has a row for
// each form.
std::vector<OptionRow> LockOptionRows();
std::vector<OptionRow> WorkloadOptionRows();

// What may be written there: "a whole number, 1 to 20".
std::string ValuesOf(const OptionSpec& spec);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_OPTION_ROWS_H_
