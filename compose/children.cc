#include "compose/children.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

namespace doublehold {
namespace {

// What a process that has ended leaves in its group (a driver's own children) goes with it: now, while nobody else can have its
// number, since nobody has waited for it yet.
void KillLeftOver(pid_t pid) {
  siginfo_t info{};
  const bool asked = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (asked && info.si_pid == pid) kill(-pid, SIGKILL);
}

}  // namespace

void Children::Poll(const std::function<void(const Child&)>& stopped,
                    const std::function<void(const Child&)>& ended) {
  for (Child& child : children_) {
    while (!child.ended) {
      int status = 0;
      KillLeftOver(child.pid);
      const pid_t changed = waitpid(child.pid, &status, WNOHANG | WUNTRACED);
      if (changed <= 0) break;
      if (WIFSTOPPED(status)) {
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

void Children::KillAll() {
  for (const Child& child : children_) {
    if (!child.ended) kill(-child.pid, SIGKILL);
  }
  for (Child& child : children_) {
    int status = 0;
    while (!child.ended) {
      if (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) continue;
      child.ended = status;
    }
  }
}

std::string DescribeEnd(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace doublehold
