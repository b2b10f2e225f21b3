#include "compose/os/run_tool.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace doublehold {
namespace {

// What a pipe would hold up, a file in memory takes whole.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content)
      : fd_(memfd_create("doublehold-tool", MFD_CLOEXEC)) {
    while (fd_ >= 0 && !content.empty()) {
      const ssize_t written = write(fd_, content.data(), content.size());
      if (written < 0 && errno != EINTR) break;
      content.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
    }
    whole_ = fd_ >= 0 && content.empty() && lseek(fd_, 0, SEEK_SET) == 0;
  }
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::string Content() const {
    std::string content;
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t bytes =
          pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(content.size()));
      if (bytes <= 0) return content;
      content.append(buffer.data(), static_cast<size_t>(bytes));
    }
  }

 private:
  int fd_;
  bool whole_ = false;
};

// 0, or why it cannot be run.
int Start(const std::vector<std::string>& words, const MemoryFile& in, const MemoryFile& out,
          pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.fd(), 0);
  posix_spawn_file_actions_adddup2(&files, out.fd(), 1);
  posix_spawn_file_actions_adddup2(&files, out.fd(), 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

Result<std::string> RunTool(const std::vector<std::string>& argv, std::string_view input) {
  const MemoryFile in(input);
  const MemoryFile out("");
  if (!in.whole() || !out.whole())
    return EnvironmentFailed(fmt::format("memfd_create: {}", std::strerror(errno)));
  pid_t pid = 0;
  const int error = Start(argv, in, out, pid);
  if (error == ENOENT)
    return EnvironmentFailed(
        fmt::format("{}: not found; install its Debian package (./setup.sh)", argv[0]));
  if (error != 0)
    return EnvironmentFailed(fmt::format("cannot run {}: {}", argv[0], std::strerror(error)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::string printed = out.Content();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return printed;
  const std::string said = printed.substr(0, printed.find('\n'));
  return EnvironmentFailed(fmt::format("{}: {}", argv[0], said.empty() ? "it failed" : said));
}

}  // namespace doublehold
