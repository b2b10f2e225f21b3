#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "compose/cli/commands.h"
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

}  // namespace

Result<ExitCode> ReportCommand(const Words& words) {
  const std::filesystem::path program = TRY(FindReportProgram());
  const std::string python = TRY(FindPython());
  Words command{python, program.string()};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  // The reports read a run that has only history.bin through `doublehold export`.
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  if (!code) setenv("DOUBLEHOLD_PROGRAM", self.c_str(), 1);
  execvp(argv[0], argv.data());
  return EnvironmentFailed(fmt::format("cannot run {}: {}", python, std::strerror(errno)));
}

}  // namespace doublehold
