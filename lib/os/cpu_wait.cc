#include "lib/os/cpu_wait.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace doublehold {

Duration WaitedForCpu(pid_t pid) {
  Duration waited{};
  std::error_code code;
  std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", pid), code);
  for (; !code && task != std::filesystem::directory_iterator(); task.increment(code)) {
    int64_t ran_ns = 0, waited_ns = 0;
    if (std::ifstream(task->path() / "schedstat") >> ran_ns >> waited_ns)
      waited += Duration(waited_ns);
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) waited += WaitedForCpu(child);
  }
  return waited;
}

}  // namespace doublehold
