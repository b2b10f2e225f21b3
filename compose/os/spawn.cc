#include "compose/os/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr int kTailLines = 5;
constexpr size_t kTailBytes = 600;

// Between fork and exec; returns only when something failed, with errno set.
void BecomeChild(const SpawnRequest& request, std::vector<char*>& argv, pid_t parent, int log) {
  setpgid(0, 0);
  // Kept over exec. The parent may have died before this took effect.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
  if (getppid() != parent) _exit(1);
  if (request.network >= 0 && setns(request.network, CLONE_NEWNET) != 0) return;
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) return;
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return;
  for (const int fd : request.descriptors) fcntl(fd, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  for (const std::string& variable : request.environment)
    putenv(const_cast<char*>(variable.c_str()));
  execvp(request.self ? "/proc/self/exe" : argv[0], argv.data());
}

}  // namespace

Result<pid_t> Spawn(const SpawnRequest& request) {
  const int log = open(request.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) {
    return EnvironmentFailed(fmt::format("{}: {}", request.log.string(), std::strerror(errno)));
  }
  std::array<int, 2> failure{};  // closed by a successful exec, else tells its errno
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    close(log);
    return EnvironmentFailed(fmt::format("pipe: {}", std::strerror(errno)));
  }
  std::vector<char*> argv;
  for (const std::string& word : request.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    BecomeChild(request, argv, parent, log);
    const int error = errno;
    [[maybe_unused]] const ssize_t told = write(failure[1], &error, sizeof error);
    _exit(127);
  }
  const int fork_error = errno;
  close(log);
  close(failure[1]);
  int error = child < 0 ? fork_error : 0;
  if (child > 0) {
    setpgid(child, child);  // whichever of the two comes first
    while (read(failure[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
  }
  close(failure[0]);
  if (error != 0) {
    return EnvironmentFailed(
        fmt::format("cannot run {}: {}", request.argv[0], std::strerror(error)));
  }
  return child;
}

std::string LogTail(const std::filesystem::path& log) {
  // A log can be long; the beginning of the first line read may be missing then.
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
