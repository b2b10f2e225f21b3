// Starts programs as child processes that do not outlive their parent: the kernel kills a child
// when the thread that started it ends. A child has no descriptors except those passed to it.
#ifndef DOUBLEHOLD_LIB_OS_SPAWN_H_
#define DOUBLEHOLD_LIB_OS_SPAWN_H_

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

struct SpawnRequest {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH, unless `self`
  bool self = false;              // run this program; argv[0] is only its name
  // "NAME=value", in addition to the caller's or replacing it.
  std::vector<std::string> environment{};
  std::vector<int> descriptors{};           // inherited with the same numbers
  std::filesystem::path log = "/dev/null";  // for standard output and error, appended to
  int input = -1;                           // for standard input; -1: /dev/null
  int output = -1;                          // for standard output; -1: the log
  int error = -1;                           // for standard error; -1: the log
  int network = -1;                         // a network namespace to enter; -1: the caller's
  // Whether it has its own process group; otherwise the caller's.
  bool own_group = true;
  // Called in the child just before exec; see signal-safety(7).
  std::function<void()> prepare{};
  // Added to the error message after argv[0] when the program does not exist.
  std::string if_missing{};
};

// Returns the child's pid, which is also its process group if it has its own. A failed exec is an
// error here, not in the child.
Result<pid_t> Spawn(const SpawnRequest& request);

// fork(2), for a child that continues in this program. Negative on failure, with errno set.
pid_t ForkBound();

// Waits for a child's end and returns its wait status.
int AwaitEnd(pid_t child);

// Returns the last lines of a log, joined to one line for a message. Empty when the log is empty.
std::string LogTail(const std::filesystem::path& log);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_SPAWN_H_
