// Starts a child process that cannot outlive the supervisor: in a process group of its own, killed
// by the kernel when the supervisor dies, with no descriptor but those it was given.
#ifndef DOUBLEHOLD_COMPOSE_OS_SPAWN_H_
#define DOUBLEHOLD_COMPOSE_OS_SPAWN_H_

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

struct SpawnRequest {
  std::vector<std::string> argv;         // argv[0] is looked up in PATH, unless
  bool self = false;                     // this program is meant; argv[0] is then only its name
  std::vector<std::string> environment;  // "NAME=value", over the supervisor's own
  std::vector<int> descriptors;          // inherited under the same numbers
  std::filesystem::path log;             // standard output and error, appended
  int network = -1;                      // a namespace that it lives in; -1: the supervisor's
};

// The child's pid, which is also its process group. Failing to execute is an error here, not in the
// child.
Result<pid_t> Spawn(const SpawnRequest& request);

// The last lines of a log, on one line, for a message. Empty when there is nothing.
std::string LogTail(const std::filesystem::path& log);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_SPAWN_H_
