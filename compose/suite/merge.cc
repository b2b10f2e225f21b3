#include "compose/suite/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "compose/suite/suite_tables.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What all parts of one suite have in common, in suite.json.
constexpr std::array kCommon{"suite", "seed", "plans", "repeat", "until", "doublehold"};
constexpr fs::copy_options kOverwrite =
    fs::copy_options::recursive | fs::copy_options::overwrite_existing;

Result<json> ReadPart(const fs::path& folder) {
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return BadInput(fmt::format(
        "{}: no such folder; a part has no link `latest`: its last line names its folder",
        folder.string()));
  std::ifstream in(folder / "suite.json");
  json part = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!part.is_object() || !part.contains("cells"))
    return BadInput(fmt::format("{}: has no readable suite.json", folder.string()));
  if (!part.contains("planned") || !part.contains("plans"))
    return BadInput(fmt::format("{}: is of a version that cannot be merged", folder.string()));
  return part;
}

Result<void> CheckSame(const json& first, const json& other, const fs::path& first_folder,
                       const fs::path& folder) {
  for (const char* key : kCommon) {
    if (first.value(key, json()) == other.value(key, json())) continue;
    const bool plans = std::string_view(key) == "plans";
    return BadInput(fmt::format(
        "{}: is not a part of the same suite as {}: {}", folder.string(), first_folder.string(),
        plans ? "the experiments differ"
              : fmt::format("'{}' is {}, not {}", key, other.value(key, json()).dump(),
                            first.value(key, json()).dump())));
  }
  return {};
}

Result<CellRun> ReadRun(const json& stored, const fs::path& part) {
  CellRun run{.folder = stored.at("dir").get<std::string>(),
              .seed = stored.at("seed").get<uint64_t>()};
  run.exit_code = stored.at("exit_code").get<int>();
  run.seconds = stored.at("seconds").get<double>();
  run.interrupted = stored.at("interrupted").get<bool>();
  if (stored.at("error").is_string()) run.error = stored["error"].get<std::string>();
  std::ifstream in(part / run.folder / "verdict.json");
  if (!TakeVerdict(json::parse(in, nullptr, false), run) && run.error.empty() && !run.interrupted)
    return BadInput(fmt::format("{}: is damaged; run this part again with --resume",
                                (part / run.folder / "verdict.json").string()));
  return run;
}

int RepetitionOf(const CellRun& run) { return std::stoi(run.folder.filename().string()); }

bool IsFinished(const CellRun& run) { return !run.interrupted && run.error.empty(); }

// Two parts may have the same run, for example if a part is named twice. Then their results must be
// equal: merge must not choose one of two results.
Result<void> CheckEqual(const CellRun& one, const CellRun& other, const fs::path& part) {
  const bool equal = one.overall == other.overall && one.as_expected == other.as_expected &&
                     one.seed == other.seed && one.seconds == other.seconds;
  if (equal) return {};
  return BadInput(
      fmt::format("{}: another part has this run too, with another result; leave one out",
                  (part / other.folder).string()));
}

// Adds the runs of a part. Of two results of one run, keeps the one that was not interrupted.
Result<void> AddRuns(const json& part, const fs::path& folder, MergedSuite& merged) {
  for (const json& stored : part.at("cells")) {
    const auto cell = std::ranges::find(merged.suite.cells, stored.at("name").get<std::string>(),
                                        &SuiteCell::name);
    if (cell == merged.suite.cells.end()) continue;
    auto& runs = merged.result.runs[static_cast<size_t>(cell - merged.suite.cells.begin())];
    for (const json& one : stored.at("runs")) {
      CellRun run = TRY(ReadRun(one, folder));
      if (const Result<Plan> plan = ReadPlanFile(folder / run.folder / "plan.json"))
        cell->plan = *plan;
      auto same = std::ranges::find(runs, run.folder, &CellRun::folder);
      if (same != runs.end() && IsFinished(*same)) {
        if (IsFinished(run)) TRY(CheckEqual(*same, run, folder));
        continue;
      }
      if (same == runs.end()) same = runs.emplace(runs.end());
      merged.sources[run.folder] = folder / run.folder;
      *same = std::move(run);
    }
  }
  return {};
}

void CountMissing(MergedSuite& merged) {
  for (size_t i = 0; i < merged.suite.cells.size(); ++i) {
    auto& runs = merged.result.runs[i];
    std::ranges::sort(runs, {}, RepetitionOf);
    if (runs.empty()) merged.missing.push_back(merged.suite.cells[i].name);
    if (merged.until) {
      Repetitions& answer = merged.result.answers[i];
      for (const CellRun& run : runs) answer.Take(RepetitionOf(run), run.trials);
      merged.result.not_begun += answer.IsOver() ? 0 : 1;
    } else {
      merged.result.not_begun += static_cast<size_t>(merged.repeat) -
                                 std::min(runs.size(), static_cast<size_t>(merged.repeat));
    }
    merged.result.interrupted |= std::ranges::any_of(runs, &CellRun::interrupted);
  }
}

Result<MergedSuite> MergeParts(const std::vector<json>& read, const std::vector<fs::path>& parts) {
  const json& first = read.front();
  MergedSuite merged;
  merged.suite.name = first.at("suite").get<std::string>();
  merged.suite.seed = first.at("seed").get<uint64_t>();
  merged.suite.plans = first.at("plans").get<std::string>();
  merged.suite.about = first.at("about").get<std::map<std::string, std::string>>();
  for (const json& part : read) {
    for (const json& cell : part.at("planned")) {
      const auto name = cell.at("name").get<std::string>();
      if (std::ranges::find(merged.suite.cells, name, &SuiteCell::name) == merged.suite.cells.end())
        AddCell(merged.suite, {.name = name,
                               .row = cell.at("row").get<std::string>(),
                               .column = cell.at("column").get<std::string>(),
                               .plan = {},
                               .settings = {}});
    }
  }
  merged.repeat = first.at("repeat").get<int>();
  if (first.at("until").is_object())
    merged.until = TRY(ReadUntil(first["until"].at("text").get<std::string>()));
  merged.result.runs.resize(merged.suite.cells.size());
  if (merged.until)
    merged.result.answers.assign(merged.suite.cells.size(), Repetitions(*merged.until));
  for (size_t i = 0; i < read.size(); ++i) {
    TRY(AddRuns(read[i], parts[i], merged));
    merged.result.seconds = std::max(merged.result.seconds, read[i].at("seconds").get<double>());
  }
  CountMissing(merged);
  return merged;
}

}  // namespace

Result<MergedSuite> ReadParts(const std::vector<fs::path>& parts) {
  std::vector<json> read;
  for (const fs::path& folder : parts) {
    read.push_back(TRY(ReadPart(folder)));
    TRY(CheckSame(read.front(), read.back(), parts.front(), folder));
  }
  try {
    return MergeParts(read, parts);
  } catch (const json::exception& error) {
    return BadInput(fmt::format("a suite.json of the parts is damaged: {}", error.what()));
  }
}

Result<void> LinkRuns(const MergedSuite& merged, const fs::path& folder) {
  for (const auto& [run, source] : merged.sources) {
    const fs::path into = folder / run;
    std::error_code code;
    fs::create_directories(into.parent_path(), code);
    fs::copy(source, into, fs::copy_options::recursive | fs::copy_options::create_hard_links, code);
    if (code) fs::copy(source, into, kOverwrite, code);
    if (code)
      return EnvironmentFailed(
          fmt::format("{}: cannot be written: {}", into.string(), code.message()));
  }
  return {};
}

}  // namespace doublehold
