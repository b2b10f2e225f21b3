#include "compose/os/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "compose/os/end_signals.h"
#include "compose/os/process_tree.h"
#include "lib/os/spawn.h"

namespace doublehold {
namespace {

void Remove(const std::filesystem::path& folder) {
  constexpr int kMostTries = 100;
  for (int tries = 0; tries < kMostTries; ++tries) {
    // A stopped process of a server does not notice that the server was killed with its parent.
    KillProcessesIn(folder);
    std::error_code code;
    std::filesystem::remove_all(folder, code);
    if (!std::filesystem::exists(folder, code)) return;
    usleep(10'000);  // a process that was just starting may have made a file meanwhile
  }
}

// Creates the folder, and writes its path to `name_write`. Ends with `errno` if it cannot.
[[noreturn]] void BeJanitor(int pipe_read, int name_write, std::string folder,
                            const std::function<void()>& if_killed, int kept_open) {
  setsid();  // Ctrl-C in a terminal must not reach the janitor
  prctl(PR_SET_NAME, "dh-janitor");
  for (const int ignored : kEndSignals) signal(ignored, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  if (mkdtemp(folder.data()) == nullptr) _exit(errno);
  (void)!write(name_write, folder.data(), folder.size());
  close(name_write);
  // Closes the parent's files, so that a reader of the parent's output sees the end of the output.
  // The copy is made first, because `kept_open` may be 3.
  const int kept_copy = kept_open < 0 ? -1 : fcntl(kept_open, F_DUPFD_CLOEXEC, 5);
  if (pipe_read != 3) dup2(pipe_read, 3);
  if (kept_copy >= 0) dup2(kept_copy, 4);
  syscall(SYS_close_range, kept_copy >= 0 ? 5U : 4U, ~0U, 0U);
  // No file that is opened later may become the standard output.
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {0, 1, 2}) dup2(nowhere, fd);
  char byte = 0;
  ssize_t count = 0;
  while ((count = read(3, &byte, 1)) < 0 && errno == EINTR) {
  }
  Remove(folder);
  if (count == 0 && if_killed) if_killed();
  _exit(0);
}

}  // namespace

Result<Scratch> Scratch::Create(const std::function<void()>& if_killed, int kept_open) {
  const EndSignalsBlocked blocked_until_janitor_runs;
  std::error_code code;
  const std::filesystem::path base = std::filesystem::temp_directory_path(code);
  std::string pattern = (code ? std::filesystem::path("/tmp") : base) / "doublehold-XXXXXX";
  std::array<int, 2> ends{}, names{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0 || pipe2(names.data(), O_CLOEXEC) != 0)
    return EnvironmentFailed(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  // The janitor creates the folder: if this process did, it could be killed before its fork.
  const pid_t janitor = fork();
  if (janitor == 0) {
    close(ends[1]);
    close(names[0]);
    BeJanitor(ends[0], names[1], pattern, if_killed, kept_open);
  }
  const int fork_error = errno;
  close(ends[0]);
  close(names[1]);
  std::string folder(pattern.size(), ' ');
  ssize_t count = 0;
  while ((count = read(names[0], folder.data(), folder.size())) < 0 && errno == EINTR) {
  }
  close(names[0]);
  if (count > 0) return Scratch(folder, ends[1], janitor);
  close(ends[1]);
  if (janitor < 0)
    return EnvironmentFailed(fmt::format("cannot create a process: {}", std::strerror(fork_error)));
  int status = 0;
  waitpid(janitor, &status, 0);
  return EnvironmentFailed(fmt::format("cannot create a temporary folder {}: {}", pattern,
                                       std::strerror(WEXITSTATUS(status))));
}

Scratch::Scratch(Scratch&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      pipe_(std::exchange(other.pipe_, -1)),
      janitor_(std::exchange(other.janitor_, -1)) {}

Scratch::~Scratch() {
  if (pipe_ < 0) return;
  (void)!write(pipe_, "\1", 1);  // says that this process was not killed
  close(pipe_);
  AwaitEnd(janitor_);
}

}  // namespace doublehold
