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
#include "compose/os/program_files.h"
#include "lib/os/run_tool.h"
#include "lib/os/screen.h"

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

Result<std::filesystem::path> FindReportProgram(const std::string& file) {
  const auto places = PlacesOfData(OwnProgram(), "reports/" + file);
  if (const auto program = FirstThatExists(places)) return *program;
  return EnvironmentFailed(fmt::format(
      "{}: the report program is missing; install Doublehold again", places.front().string()));
}

Result<ExitCode> ExecProgram(Words command) {
  // The reports read a run that has only history.bin through `doublehold export`.
  setenv("DOUBLEHOLD_PROGRAM", OwnProgram().c_str(), 1);
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return EnvironmentFailed(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
}

namespace {

// Copies the output of the program to stdout. Shows the seconds while it prints nothing.
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

// Runs the program as a child. Ctrl-C in a terminal reaches the child too.
Result<ExitCode> RunWithProgress(const Words& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ExecProgram(command);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const Result<ExitCode> failed = ExecProgram(command);
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
  // The options are defined in reports/report.py, which may be missing.
  if (words == Words{std::string(kDescribeOptions)}) return ExitCode::kAsExpected;
  const std::filesystem::path program = TRY(FindReportProgram("report.py"));
  std::optional<LastWords> words_said(std::in_place,
                                      "doublehold report: interrupted; no page was written");
  const std::string python = TRY(FindPython());
  words_said.reset();  // from here on the report program handles Ctrl-C
  Words command{python, program.string()};
  command.insert(command.end(), words.begin(), words.end());
  return IsScreen(STDERR_FILENO) ? RunWithProgress(command) : ExecProgram(command);
}

}  // namespace doublehold
