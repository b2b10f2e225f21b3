#include "lib/os/cpu_wait.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace doublehold {
namespace {

// A process that was reparented in a circle of pids would never end the search.
constexpr int kDeepest = 8;

Duration WaitedBelow(pid_t pid, int depth) {
  Duration waited{};
  std::error_code code;
  std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", pid), code);
  for (; !code && task != std::filesystem::directory_iterator(); task.increment(code)) {
    int64_t ran_ns = 0, waited_ns = 0;
    if (std::ifstream(task->path() / "schedstat") >> ran_ns >> waited_ns)
      waited += Duration(waited_ns);
    if (depth == kDeepest) continue;
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) waited += WaitedBelow(child, depth + 1);
  }
  return waited;
}

}  // namespace

Duration WaitedForCpu(pid_t pid) { return WaitedBelow(pid, 0); }

}  // namespace doublehold
