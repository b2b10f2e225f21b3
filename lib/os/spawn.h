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
  std::vector<std::string> argv;  // argv[0] is looked up in PATH, unless `self` is set
  bool self = false;              // runs this program again; argv[0] is only its name
  // Each is "NAME=value". Added to the caller's variables, or replaces one of the same name.
  std::vector<std::string> environment{};
  std::vector<int> descriptors{};           // inherited with the same numbers
  std::filesystem::path log = "/dev/null";  // for standard output and error, appended to
  int input = -1;                           // for standard input, or -1 for /dev/null
  int output = -1;                          // for standard output, or -1 for the log
  int error = -1;                           // for standard error, or -1 for the log
  int network = -1;                         // network namespace to enter, or -1 for the caller's
  // Whether the child gets its own process group. If not, the child stays in the caller's.
  bool own_group = true;
  // Whether the program runs in user and IPC namespaces of its own. If the caller is root, the
  // program is an ordinary user there; outside, its files still belong to root. Its System V shared
  // memory goes when it ends, however it ends. Without root, there may be no such namespaces.
  bool never_root = false;
  // Called in the child just before exec; see signal-safety(7).
  std::function<void()> prepare{};
  // Added to the error message after argv[0] when the program does not exist.
  std::string if_missing{};
};

// Returns the child's pid. With `own_group`, this pid is also the id of the child's process group.
// Returns an error when exec fails.
Result<pid_t> Spawn(const SpawnRequest& request);

// Forks a child that continues in this program. Returns a negative number on failure, with errno
// set.
pid_t ForkBound();

// Waits for a child's end and returns its wait status.
int AwaitEnd(pid_t child);

// Returns the last lines of a log, joined to one line for a message. Returns "" when the log is
// empty.
std::string LogTail(const std::filesystem::path& log);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_SPAWN_H_
