#include "lib/os/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr int kTailLines = 5;
constexpr size_t kTailBytes = 600;

// Returns pointers to the words, with a null pointer at the end for exec.
std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Returns the variables in `over`, and this process's own variables with other names.
std::vector<std::string> EnvironmentUnder(const std::vector<std::string>& over) {
  std::vector<std::string> all = over;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view ours(*entry);
    const std::string_view name = ours.substr(0, ours.find('=') + 1);
    const auto replaces = [&](const std::string& variable) { return variable.starts_with(name); };
    if (std::ranges::none_of(over, replaces)) all.emplace_back(ours);
  }
  return all;
}

// Duplicates a descriptor to a number above 2, before BecomeProgram replaces 0, 1 and 2. `fd` may
// be one of these three numbers if this program was started with standard descriptors closed.
int AboveStandard(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }

// Enters user and IPC namespaces, in which this process is not root. Returns false on failure, with
// errno set.
bool LeaveRoot() {
  const uid_t user = geteuid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWIPC) != 0) return user != 0;
  // User 1000 inside is root outside.
  const auto text = fmt::format("{} {} 1\n", user == 0 ? 1000 : user, user);
  const int map = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
  const bool mapped = map >= 0 && write(map, text.data(), text.size()) > 0;
  if (map >= 0) close(map);
  return mapped;
}

// Runs between fork and exec. Returns only on failure, with errno set.
void BecomeProgram(const SpawnRequest& request, char* const* argv, char* const* environment,
                   int log) {
  if (request.own_group) setpgid(0, 0);
  if (request.network >= 0 && setns(request.network, CLONE_NEWNET) != 0) return;
  // Each failing call leaves its reason in errno, for example too many open files.
  const int given = request.input >= 0 ? request.input : open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (given < 0) return;
  const int in = AboveStandard(given);
  if (in < 0) return;
  const int out = AboveStandard(request.output >= 0 ? request.output : log);
  if (out < 0) return;
  const int error = AboveStandard(request.error >= 0 ? request.error : log);
  if (error < 0) return;
  if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(error, 2) < 0) return;
  if (request.never_root && !LeaveRoot()) return;
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return;
  for (const int fd : request.descriptors) fcntl(fd, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (request.prepare) request.prepare();
  execvpe(request.self ? "/proc/self/exe" : argv[0], argv, environment);
}

}  // namespace

Result<pid_t> Spawn(const SpawnRequest& request) {
  const int log = open(request.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) {
    return EnvironmentFailed(fmt::format("{}: {}", request.log.string(), std::strerror(errno)));
  }
  std::array<int, 2> failure{};  // closed by a successful exec; gets the errno of a failed exec
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    close(log);
    return EnvironmentFailed(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  // Allocates before the fork.
  const std::vector<char*> argv = Pointers(request.argv);
  const std::vector<std::string> variables = EnvironmentUnder(request.environment);
  const std::vector<char*> environment = Pointers(variables);
  const pid_t child = ForkBound();
  if (child == 0) {
    // If no descriptor is free, uses the pipe's own descriptor, which is hardly ever 0, 1 or 2.
    const int failed = std::max(AboveStandard(failure[1]), failure[1]);
    BecomeProgram(request, argv.data(), environment.data(), log);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(failed, &error, sizeof error);
    _exit(127);
  }
  const int fork_error = errno;
  close(log);
  close(failure[1]);
  int error = child < 0 ? fork_error : 0;
  if (child > 0) {
    // Parent and child both call setpgid, because either process may run first.
    if (request.own_group) setpgid(child, child);
    while (read(failure[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
  }
  close(failure[0]);
  if (error == 0) return child;
  if (child > 0) AwaitEnd(child);
  return EnvironmentFailed(
      error == ENOENT && !request.if_missing.empty()
          ? request.argv[0] + request.if_missing
          : fmt::format("cannot run {}: {}", request.argv[0], std::strerror(error)));
}

pid_t ForkBound() {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  // The setting survives exec. The parent may have died before prctl, so its pid is checked too.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
  return 0;
}

int AwaitEnd(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string LogTail(const std::filesystem::path& log) {
  // Reads only the end of a long log; the first line may then be incomplete.
  std::ifstream in(log, std::ios::binary | std::ios::ate);
  const auto begin =
      std::max<std::streamoff>(in.tellg() - std::streamoff{kTailLines * kTailBytes}, 0);
  in.seekg(begin);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  std::string tail;
  const size_t first = lines.size() > kTailLines ? lines.size() - kTailLines : 0;
  for (size_t i = first; i < lines.size(); ++i) tail += (tail.empty() ? "" : " | ") + lines[i];
  if (tail.size() > kTailBytes) tail = "..." + tail.substr(tail.size() - kTailBytes);
  return OnOneLine(tail);
}

}  // namespace doublehold
