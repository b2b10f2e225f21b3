#include "lib/os/run_tool.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/os/spawn.h"

namespace doublehold {
namespace {

// A file in memory. A pipe would block when it is full.
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

}  // namespace

Result<RunResult> RunToEnd(const std::vector<std::string>& argv, const ToolInput& options) {
  const MemoryFile in(options.input);
  const MemoryFile out("");
  if (!in.whole() || !out.whole())
    return EnvironmentFailed(
        fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
  const Result<pid_t> pid = Spawn({.argv = argv,
                                   .input = in.fd(),
                                   .output = out.fd(),
                                   .error = options.with_errors ? out.fd() : -1,
                                   .never_root = options.never_root,
                                   .if_missing = options.if_missing});
  if (!pid) return tl::unexpected(pid.error());
  const int status = AwaitEnd(*pid);
  return RunResult{.output = out.Content(), .status = status};
}

Result<std::string> RunTool(const std::vector<std::string>& argv, std::string_view input) {
  Result<RunResult> run =
      RunToEnd(argv, {.input = input,
                      .with_errors = true,
                      .if_missing = ": not found; install its Debian package (./setup.sh)"});
  if (!run) return tl::unexpected(run.error());
  if (run->succeeded()) return std::move(run->output);
  const std::string said = run->output.substr(0, run->output.find('\n'));
  return EnvironmentFailed(fmt::format("{}: {}", argv[0], said.empty() ? "it failed" : said));
}

}  // namespace doublehold
