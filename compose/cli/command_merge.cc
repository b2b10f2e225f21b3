#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "compose/options/command_line.h"
#include "compose/options/screen.h"
#include "compose/os/run_folder.h"
#include "compose/suite/merge.h"
#include "compose/suite/repeat.h"
#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

po::options_description MergeOptions() {
  po::options_description options("options");
  options.add_options()("out", po::value<std::string>()->default_value("runs"),
                        "folder for run folders");
  AddJUnitOption(options);
  AddBaselineOption(options);
  options.add_options()("json", "print a summary line of JSON");
  AddColorOption(options);
  return options;
}

}  // namespace

Result<ExitCode> MergeCommand(const Words& words) {
  const ParsedLine line = TRY(ParseLine(
      words, MergeOptions(),
      "merge DIR... [options]\nMerges the parts of a suite (suite --shard) into one folder."));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.empty()) return BadInput("name the folders of the parts of one suite");
  TRY(CheckJUnit(line));
  const std::vector<std::filesystem::path> parts(line.rest.begin(), line.rest.end());
  const MergedSuite merged = TRY(ReadParts(parts));
  SuiteRequest request{.suite = merged.suite, .folder = {}, .repeat = merged.repeat};
  request.until = merged.until;
  const std::optional<MergedSuite> baseline = TRY(ReadBaselineOption(line, merged.suite));
  request.baseline = baseline ? &*baseline : nullptr;
  request.folder = TRY(MakeRunFolder(
      line.values["out"].as<std::string>(), merged.suite.name, merged.suite.seed,
      merged.missing.empty() && merged.suite.only.empty() ? LatestLink::kMove : LatestLink::kKeep));
  TRY(LinkRuns(merged, request.folder));
  TRY(WriteWhole(request.folder / "suite.json", ToJson(request, merged.result).dump(2) + "\n"));
  const bool as_json = line.values.contains("json");
  if (!merged.missing.empty() && !as_json)
    fmt::print("no part has a run of: {}\n", fmt::join(merged.missing, ", "));
  return PrintResult(request, merged.result, line,
                     as_json ? SummaryForm::kJson : SummaryForm::kLines);
}

}  // namespace doublehold
