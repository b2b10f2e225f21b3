#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "compose/cli/commands.h"
#include "compose/options/screen.h"
#include "compose/os/last_words.h"
#include "lib/base/paths.h"
#include "lib/os/run_tool.h"

namespace doublehold {

Result<std::string> FindPython() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const Result<RunResult> probe = RunToEnd({python, "-c", "import matplotlib, jinja2"});
    if (probe && probe->succeeded()) return std::string(python);
  }
  return EnvironmentFailed(
      "no python3 that has matplotlib and jinja2; install the Debian packages python3-matplotlib "
      "and "
      "python3-jinja2 (./setup.sh)");
}

namespace {

// Returns the path of reports/report.py, beside the build folder.
Result<std::filesystem::path> FindReportProgram() {
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::array candidates{self.parent_path().parent_path() / "reports" / "report.py",
                              std::filesystem::path(SourceDir()) / "reports" / "report.py"};
  for (const std::filesystem::path& candidate : candidates) {
    if (std::filesystem::exists(candidate, code)) return candidate;
  }
  return EnvironmentFailed(
      fmt::format("{}: the reports' program is missing", candidates[0].string()));
}

// Replaces this process by the program.
Result<ExitCode> Become(Words& command) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return EnvironmentFailed(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
}

// Copies what the program prints to stdout, and shows the seconds while it prints nothing.
void CopyOutput(int from) {
  constexpr int kSecondMs = 1000;
  for (int seconds = 0;;) {
    pollfd readable{.fd = from, .events = POLLIN, .revents = 0};
    const int ready = poll(&readable, 1, kSecondMs);
    if (ready == 0) ShowProgressLine(fmt::format("reading and drawing, {} s", ++seconds));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    std::array<char, 4096> text{};
    const ssize_t count = read(from, text.data(), text.size());
    EraseProgressLine();
    if (count <= 0) return;
    std::fwrite(text.data(), 1, static_cast<size_t>(count), stdout);
    std::fflush(stdout);
  }
}

// Runs the program as a child, which Ctrl-C in a terminal reaches too.
Result<ExitCode> RunWithProgress(Words& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Become(command);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const Result<ExitCode> failed = Become(command);
    fmt::print(stderr, "doublehold report: {}\n", failed.error().message);
    _exit(static_cast<int>(ExitCode::kEnvironment));
  }
  close(ends[1]);
  if (pid > 0) CopyOutput(ends[0]);
  close(ends[0]);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid)
    return EnvironmentFailed(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
  return WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::kEnvironment;
}

}  // namespace

Result<ExitCode> ReportCommand(const Words& words) {
  // reports/report.py has the options, and may be missing.
  if (words == Words{std::string(kDescribeOptions)}) return ExitCode::kAsExpected;
  const std::filesystem::path program = TRY(FindReportProgram());
  std::optional<LastWords> words_said(std::in_place,
                                      "doublehold report: interrupted; no page was written");
  const std::string python = TRY(FindPython());
  words_said.reset();  // the program that follows says the same
  Words command{python, program.string()};
  command.insert(command.end(), words.begin(), words.end());
  // The reports read a run that has only history.bin through `doublehold export`.
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  if (!code) setenv("DOUBLEHOLD_PROGRAM", self.c_str(), 1);
  return isatty(STDERR_FILENO) == 1 ? RunWithProgress(command) : Become(command);
}

}  // namespace doublehold
