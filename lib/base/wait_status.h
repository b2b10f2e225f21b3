// How a process ended, in words.
#ifndef DOUBLEHOLD_LIB_BASE_WAIT_STATUS_H_
#define DOUBLEHOLD_LIB_BASE_WAIT_STATUS_H_

#include <fmt/format.h>
#include <sys/wait.h>

#include <string>

namespace doublehold {

// `status` is the one of waitpid. For example "exited with status 3" or "was killed by signal 9".
inline std::string DescribeEnd(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_WAIT_STATUS_H_
