#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "checker/evidence/names.h"
#include "compose/driver/bundled_drivers.h"
#include "compose/options/command_line.h"
#include "compose/options/program_options.h"
#include "compose/suite/changed_cells.h"
#include "compose/suite/repeat.h"
#include "compose/suite/selection.h"
#include "compose/suite/suite.h"
#include "compose/suite/suite_tables.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

// Applies the options, which override the suite's file.
Result<void> ChangeSuite(ParsedLine& line, Suite& suite) {
  if (line.values.contains("seed")) {
    const auto seed = line.values["seed"].as<int64_t>();
    if (seed < 0) return BadInput("--seed: must be 0 or more");
    suite.seed = static_cast<uint64_t>(seed);
    for (SuiteCell& cell : suite.cells) cell.plan.seed = suite.seed;
  }
  TRY(CheckJUnit(line));
  if (line.values.contains("only"))
    TRY(SelectCells(line.values["only"].as<std::vector<std::string>>(), "--only", suite));
  return ChangeCells(line, suite);
}

po::options_description SuiteOptions() {
  po::options_description options("options");
  AddRepeatOptions(options, kSuiteJobs);
  options.add_options()("only", po::value<std::vector<std::string>>()->composing(),
                        "run these cells only: ROW/COLUMN, ROW/ or /COLUMN; repeatable");
  AddChangeOptions(options);
  options.add_options()("shard", po::value<std::string>(),
                        "run one part of the cells: 3/8 is the third of eight parts; auto/8: the "
                        "batch system says which");
  options.add_options()("resume", po::value<std::string>(),
                        "continue an interrupted suite in this folder: keep its finished runs");
  options.add_options()("into", po::value<std::string>(),
                        "the folder of the suite; if it has this suite already, continues it");
  AddBaselineOption(options);
  options.add_options()("seed", po::value<int64_t>(),
                        "seed of every random choice; default: the seed of the suite file");
  options.add_options()("out", po::value<std::string>()->default_value("runs"),
                        "folder for run folders");
  AddJUnitOption(options);
  options.add_options()("json", "print a summary line of JSON");
  options.add_options()("matrix", "print the expected outcomes as a table and exit");
  options.add_options()("cases", "print the expected outcomes with one line per column and exit");
  AddProgramOptions(options);
  return options;
}

// Returns the command with its options, which a resumed suite must repeat.
std::string WordsToResume(const Words& words) {
  std::string text = "doublehold suite";
  for (size_t i = 0; i < words.size(); ++i) {
    const bool folder = words[i] == "--resume" || words[i] == "--into";
    const bool both = words[i].starts_with("--resume=") || words[i].starts_with("--into=");
    if (!folder && !both) text += " " + ShellQuoted(words[i]);
    i += folder ? 1 : 0;
  }
  return text + " --resume";
}

// Takes the folder of --resume, or of --into if it has a suite already.
Result<void> ReadFolder(const ParsedLine& line, SuiteRequest& request) {
  if (line.values.contains("resume") && line.values.contains("into"))
    return BadInput("--resume, --into: only one of them is allowed");
  for (const char* option : {"resume", "into"}) {
    if (line.values.contains(option)) request.folder = line.values[option].as<std::string>();
  }
  request.resumes =
      line.values.contains("resume") ||
      (line.values.contains("into") && std::filesystem::exists(request.folder / "suite.json"));
  return {};
}

}  // namespace

Result<ExitCode> SuiteCommand(const Words& words) {
  ParsedLine line = TRY(ParseLine(
      words, SuiteOptions(),
      "suite SUITE.toml|NAME [options]\nRuns a file, or a suite that comes with the program: npc, "
      "failures, workloads, ..."));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.size() != 1)
    return BadInput("name one suite file, for example compose/suites/npc.toml, or npc");
  const auto shows = [&](const char* option) { return line.values.contains(option); };
  if (std::ranges::count_if(std::array{"matrix", "cases", "json"}, shows) > 1)
    return BadInput("--matrix, --cases, --json: only one of them is allowed");
  Shard shard;
  if (line.values.contains("shard")) shard = TRY(ReadShard(line.values["shard"].as<std::string>()));
  Suite suite;
  SuiteRequest request = TRY(ReadRepeat(line, suite));
  TRY(ReadFolder(line, request));
  request.resume_words = WordsToResume(words);
  suite = TRY(ReadSuiteNamed(line.rest.front()));
  TRY(ChangeSuite(line, suite));
  TRY(TakeCells(suite, shard));
  request.shard = shard;
  if (line.values.contains("matrix")) {
    fmt::print("{}", FormatMatrix(suite));
    return ExitCode::kAsExpected;
  }
  if (line.values.contains("cases")) {
    fmt::print("{}", FormatCases(suite));
    return ExitCode::kAsExpected;
  }
  TRY(PlanComparison(request));
  TRY(QueryDrivers(suite, shard));
  TRY(CheckRepeat(request));
  const std::optional<MergedSuite> baseline = TRY(ReadBaselineOption(line, suite));
  request.baseline = baseline ? &*baseline : nullptr;
  return RunAndPrint(request, line,
                     line.values.contains("json") ? SummaryForm::kJson : SummaryForm::kLines);
}

}  // namespace doublehold
