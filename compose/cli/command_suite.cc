#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "checker/evidence/names.h"
#include "compose/driver/bundled_drivers.h"
#include "compose/options/command_line.h"
#include "compose/options/program_options.h"
#include "compose/suite/repeat.h"
#include "compose/suite/selection.h"
#include "compose/suite/suite.h"
#include "compose/suite/suite_tables.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

Result<Shard> ReadShard(const ParsedLine& line) {
  if (!line.values.contains("shard")) return Shard{};
  const auto text = line.values["shard"].as<std::string>();
  Shard shard;
  char slash = 0;
  std::istringstream in(text);
  std::string rest;
  if (!(in >> shard.number >> slash >> shard.of) || slash != '/' || (in >> rest)) {
    return BadInput(fmt::format("--shard {}: must have the form PART/PARTS, such as 3/8", text));
  }
  if (shard.of < 1)
    return BadInput(fmt::format("--shard {}: the number of parts must be at least 1", text));
  if (shard.number < 1 || shard.number > shard.of) {
    return BadInput(fmt::format("--shard {}: the part must be from 1 to {}", text, shard.of));
  }
  return shard;
}

// Applies the options, which override the suite's file.
Result<void> ChangeSuite(ParsedLine& line, Suite& suite) {
  if (line.values.contains("seed")) {
    const auto seed = line.values["seed"].as<int64_t>();
    if (seed < 0) return BadInput("--seed: must be 0 or more");
    suite.seed = static_cast<uint64_t>(seed);
    for (SuiteCell& cell : suite.cells) cell.plan.seed = suite.seed;
  }
  TRY(CheckJUnit(line));
  if (!line.values.contains("only")) return {};
  return SelectCells(line.values["only"].as<std::vector<std::string>>(), "--only", suite);
}

Result<void> CheckShard(const Shard& shard, const Suite& suite) {
  if (shard.number <= std::ssize(suite.cells)) return {};
  return BadInput(fmt::format("--shard {}/{}: the suite has only {}; use at most as many parts",
                              shard.number, shard.of, Counted(std::ssize(suite.cells), "cell")));
}

po::options_description SuiteOptions() {
  po::options_description options("options");
  AddRepeatOptions(options, kSuiteJobs);
  options.add_options()("only", po::value<std::vector<std::string>>()->composing(),
                        "run these cells only: ROW/COLUMN, ROW/ or /COLUMN; repeatable");
  options.add_options()("shard", po::value<std::string>(),
                        "run one part of the cells: 3/8 is the third of eight parts");
  options.add_options()("resume", po::value<std::string>(),
                        "continue an interrupted suite in this folder: keep its finished runs");
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
    const bool resume = words[i] == "--resume";
    if (!resume && !words[i].starts_with("--resume=")) text += " " + ShellQuoted(words[i]);
    i += resume ? 1 : 0;
  }
  return text + " --resume";
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
  const Shard shard = TRY(ReadShard(line));
  Suite suite;
  SuiteRequest request = TRY(ReadRepeat(line, suite));
  request.shard = shard;
  request.resumes = line.values.contains("resume");
  if (request.resumes) request.folder = line.values["resume"].as<std::string>();
  request.resume_words = WordsToResume(words);
  suite = TRY(ReadSuiteNamed(line.rest.front()));
  TRY(ChangeSuite(line, suite));
  TRY(CheckShard(shard, suite));
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
