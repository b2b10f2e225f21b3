// The library that moves the wall clock of the programs under which it is loaded (lib/clock).
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_CLOCK_SHIM_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_CLOCK_SHIM_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

// Finds the clock shim beside this program.
Result<std::filesystem::path> FindClockShim();
// The environment variables of a process under the shim.
std::vector<std::string> ShimEnvironment(const std::filesystem::path& shim, int clock_fd,
                                         size_t clock_offset);

// Runs this program again, with these arguments, in fast time (lib/clock/fast_time.h). All
// processes that it starts run at the same speed. Returns only if that fails. Requires that this
// process is in real time.
Result<void> EnterFastTime(int speed, std::vector<std::string> argv);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_CLOCK_SHIM_H_
