#include "compose/os/child_processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "compose/os/process_tree.h"
#include "lib/os/spawn.h"

namespace doublehold {
namespace {

// Returns the new status of a process if it has stopped or ended since the last call, else nothing.
// If the process has ended, kills the rest of its process group, such as a driver's own children.
std::optional<int> StatusChange(pid_t pid) {
  const auto id = static_cast<id_t>(pid);
  siginfo_t info{};
  int status = 0;
  // Kills the process group before it reaps the process: afterwards the group's number may belong
  // to others.
  if (waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) {
    kill(-pid, SIGKILL);
    return waitpid(pid, &status, 0) == pid ? std::optional(status) : std::nullopt;
  }
  info = {};
  if (waitid(P_PID, id, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid != pid) return std::nullopt;
  return W_STOPCODE(info.si_status);
}

}  // namespace

void Children::Poll(const std::function<void(const Child&)>& stopped,
                    const std::function<void(const Child&)>& ended) {
  for (Child& child : children_) {
    while (!child.ended) {
      const std::optional<int> status = StatusChange(child.pid);
      if (!status) break;
      if (WIFSTOPPED(*status)) {
        stopped(child);
      } else {
        child.ended = status;
        ended(child);
      }
    }
  }
}

bool Children::HaveEnded(ProcessRef::Kind kind, int first_number) const {
  return std::ranges::all_of(children_, [&](const Child& child) {
    return child.ref.kind != kind || child.ref.number < first_number || child.ended.has_value();
  });
}

bool Children::HasEnded(ProcessRef ref) const {
  return std::ranges::all_of(
      children_, [&](const Child& child) { return child.ref != ref || child.ended.has_value(); });
}

void Children::Kill(std::optional<ProcessRef::Kind> kind) {
  const auto is_meant = [&](const Child& child) {
    return !child.ended && kind.value_or(child.ref.kind) == child.ref.kind;
  };
  for (const Child& child : children_) {
    if (is_meant(child)) SignalTree(child.pid, SIGKILL);
  }
  for (Child& child : children_) {
    if (is_meant(child)) child.ended = AwaitEnd(child.pid);
  }
}

}  // namespace doublehold
