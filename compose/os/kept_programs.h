// The Python programs in drivers/, which install what Doublehold runs by name: lock libraries and
// servers.
#ifndef DOUBLEHOLD_COMPOSE_OS_KEPT_PROGRAMS_H_
#define DOUBLEHOLD_COMPOSE_OS_KEPT_PROGRAMS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

// Returns the path of drivers/NAME, or an environment error.
Result<std::filesystem::path> FindInDrivers(const std::string& name);

// Runs a Python program of drivers/, and returns its output without the final newline. May take
// minutes: it downloads and builds. The error is the line that the program printed.
Result<std::string> RunInDrivers(const std::string& program, std::vector<std::string> arguments);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_KEPT_PROGRAMS_H_
