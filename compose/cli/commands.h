// The subcommands. Each function takes the words after the command's name. It returns the exit
// status, or an error that main prints.
#ifndef DOUBLEHOLD_COMPOSE_CLI_COMMANDS_H_
#define DOUBLEHOLD_COMPOSE_CLI_COMMANDS_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compose/options/command_line.h"
#include "lib/base/result.h"

namespace doublehold {

Result<ExitCode> RunCommand(const Words& words);
Result<ExitCode> SuiteCommand(const Words& words);
Result<ExitCode> PlanShardsCommand(const Words& words);
Result<ExitCode> MergeCommand(const Words& words);
Result<ExitCode> CompareCommand(const Words& words);
Result<ExitCode> BisectCommand(const Words& words);
Result<ExitCode> SweepCommand(const Words& words);
Result<ExitCode> ExploreCommand(const Words& words);
Result<ExitCode> ReplayCommand(const Words& words);
Result<ExitCode> CheckCommand(const Words& words);
Result<ExitCode> ExportCommand(const Words& words);
Result<ExitCode> ListCommand(const Words& words);
Result<ExitCode> ReportCommand(const Words& words);
Result<ExitCode> ServeCommand(const Words& words);
Result<ExitCode> DoctorCommand(const Words& words);
Result<ExitCode> DriverCommand(const Words& words);
Result<ExitCode> CompletionCommand(const Words& words);
Result<ExitCode> ManCommand(const Words& words);

struct CommandEntry {
  std::string_view name;
  std::string_view usage;  // the words after the name
  std::string_view summary;
  Result<ExitCode> (*run)(const Words&);
};
std::span<const CommandEntry> Commands();

// Returns a Python that can import matplotlib and Jinja2. Tries `python3` on the PATH, then
// Debian's.
Result<std::string> FindPython();
// Returns the path of a program of reports/: "report.py".
Result<std::filesystem::path> FindReportProgram(const std::string& file);
// Replaces this process by a program of reports/ (exec). Returns only if that fails.
Result<ExitCode> ExecProgram(Words command);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLI_COMMANDS_H_
