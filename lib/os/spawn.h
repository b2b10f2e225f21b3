// Starts programs as child processes, none of which outlives its parent: the kernel kills a child
// when the thread that started it ends. A child has no descriptors but those it was given.
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
  std::vector<std::string> argv;            // argv[0] is looked up in PATH, unless
  bool self = false;                        // this program is meant; argv[0] is then only its name
  std::vector<std::string> environment{};   // "NAME=value", over the caller's own
  std::vector<int> descriptors{};           // inherited under the same numbers
  std::filesystem::path log = "/dev/null";  // standard output and error, appended
  int input = -1;                           // standard input; -1: /dev/null
  int output = -1;                          // standard output; -1: the log
  int error = -1;                           // standard error; -1: the log
  int network = -1;                         // a namespace that it lives in; -1: the caller's
  bool own_group = true;                    // of processes; else it is in the caller's
  std::function<void()> prepare{};          // in the child, just before exec; see signal-safety(7)
  std::string if_missing{};  // follows argv[0] in the message when there is no such program
};

// The child's pid, which is also its process group if it has its own. Failing to execute is an
// error here, not in the child.
Result<pid_t> Spawn(const SpawnRequest& request);

// fork(2), for a child that goes on in this program. Negative, with errno: there is none.
pid_t ForkBound();

// Waits for a child's end. Its status, as wait() gives it.
int AwaitEnd(pid_t child);

// The last lines of a log, on one line, for a message. Empty when there is nothing.
std::string LogTail(const std::filesystem::path& log);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_SPAWN_H_
