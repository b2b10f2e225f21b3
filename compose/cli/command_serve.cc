#include <filesystem>
#include <string>
#include <utility>

#include "compose/cli/commands.h"
#include "compose/options/command_line.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

po::options_description ServeOptions() {
  po::options_description options("options");
  options.add_options()("port", po::value<std::string>(),
                        "the port on 127.0.0.1 (default: a free port, which is printed)");
  return options;
}

}  // namespace

// Only names the options and finds the program: reports/serve.py checks their values.
Result<ExitCode> ServeCommand(const Words& words) {
  const ParsedLine line =
      TRY(ParseLine(words, ServeOptions(),
                    "serve [RUNS] [--port PORT]\nShows a folder of runs (default: runs) as web "
                    "pages, on this machine only, until Ctrl-C.\nIt writes no file."));
  if (line.help) return ExitCode::kAsExpected;
  const std::filesystem::path program = TRY(FindReportProgram("serve.py"));
  Words command{TRY(FindPython()), program.string()};
  command.insert(command.end(), words.begin(), words.end());
  return ExecProgram(std::move(command));
}

}  // namespace doublehold
