#include "compose/suite/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "compose/suite/stored_runs.h"
#include "compose/suite/suite_tables.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct StoredRun {
  CellRun run;
  int repetition = 0;    // counted from 1
  bool decided = false;  // has a verdict
};

// A part may come from elsewhere, so its symbolic links are not followed.
constexpr fs::copy_options kAll = fs::copy_options::recursive | fs::copy_options::skip_symlinks;
constexpr fs::copy_options kLink = kAll | fs::copy_options::create_hard_links;
constexpr fs::copy_options kOverwrite = kAll | fs::copy_options::overwrite_existing;

Result<json> ReadPart(const fs::path& folder) {
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return BadInput(fmt::format(
        "{}: no such folder; a part has no link `latest`: its last line names its folder",
        folder.string()));
  json part = ReadJsonFile(folder / "suite.json");
  if (!part.is_object() || !part.contains("cells"))
    return BadInput(fmt::format("{}: has no readable suite.json", folder.string()));
  if (!part.contains("planned") || !part.contains("only"))
    return BadInput(fmt::format(
        "{}: was written by an older version that merge cannot read; run the suite again",
        folder.string()));
  return part;
}

tl::unexpected<Error> Damaged(const fs::path& part) {
  return BadInput(fmt::format("{}: suite.json is damaged", part.string()));
}

// Reads the run of a cell. suite.json must not name a folder outside the part.
Result<StoredRun> ReadRun(const json& stored, const fs::path& part, const SuiteCell& cell) {
  StoredRun read;
  CellRun& run = read.run;
  run.folder = stored.at("dir").get<std::string>();
  read.repetition = RepetitionOf(run.folder, cell);
  if (read.repetition == 0) return Damaged(part);
  const fs::path verdict = part / run.folder / "verdict.json";
  read.decided = TakeVerdict(ReadJsonFile(verdict), run);
  run.seed = stored.at("seed").get<uint64_t>();
  run.exit_code = stored.at("exit_code").get<int>();
  run.seconds = stored.at("seconds").get<double>();
  // Earlier versions also stored runs that were cut short.
  run.cut_short = run.cut_short || stored.value("interrupted", false);
  if (stored.at("error").is_string()) run.error = stored["error"].get<std::string>();
  if (!read.decided && run.error.empty() && !run.cut_short)
    return BadInput(
        fmt::format("{}: is damaged; run this part again with --resume", verdict.string()));
  return read;
}

// A run with a violation counts as finished, also if it could not write all its files.
bool IsFinished(const CellRun& run) {
  const bool violated = run.overall == Name(Outcome::kViolated);
  return violated || run.error.empty();
}

// The runs of a cell by repetition, each with the part that has it.
using RunsOfCell = std::map<int, std::pair<CellRun, fs::path>>;

// Adds a run. Prefers a finished run to an unfinished one. Two finished results must be equal, for
// example of a part that is named twice: merge must not choose one of two results.
Result<void> AddRun(StoredRun added, const fs::path& part, RunsOfCell& runs) {
  const auto [same, fresh] = runs.try_emplace(added.repetition, added.run, part);
  auto& [run, source] = same->second;
  if (fresh || !IsFinished(added.run)) return {};
  if (!IsFinished(run)) {
    same->second = {std::move(added.run), part};
    return {};
  }
  const fs::path verdict = run.folder / "verdict.json";
  if (ReadJsonFile(source / verdict) == ReadJsonFile(part / verdict)) return {};
  return BadInput(
      fmt::format("{}: another part has this run too, with another result; leave one out",
                  (part / run.folder).string()));
}

Result<void> AddRuns(const json& part, const fs::path& folder, MergedSuite& merged,
                     std::vector<RunsOfCell>& runs) {
  if (!part.at("cells").is_array()) return Damaged(folder);
  for (const json& stored : part["cells"]) {
    const auto cell = std::ranges::find(merged.suite.cells, stored.at("name").get<std::string>(),
                                        &SuiteCell::name);
    if (cell == merged.suite.cells.end()) return Damaged(folder);
    for (const json& one : stored.at("runs")) {
      StoredRun run = TRY(ReadRun(one, folder, *cell));
      if (run.run.cut_short) continue;
      if (run.repetition > merged.repeat) return Damaged(folder);
      const Result<Plan> plan = ReadPlanFile(folder / run.run.folder / "plan.json");
      if (plan) {
        cell->plan = *plan;
      } else if (run.decided) {
        return tl::unexpected(plan.error());
      }
      TRY(AddRun(std::move(run), folder,
                 runs[static_cast<size_t>(cell - merged.suite.cells.begin())]));
    }
  }
  return {};
}

// Takes the runs of all parts, and counts those that no part has.
void TakeRuns(const std::vector<RunsOfCell>& runs, MergedSuite& merged) {
  SuiteResult& result = merged.result;
  result.runs.resize(runs.size());
  if (merged.until) result.answers.assign(runs.size(), Repetitions(*merged.until));
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const auto& [repetition, stored] : runs[i]) {
      const auto& [run, part] = stored;
      merged.sources[run.folder] = part / run.folder;
      if (merged.until) result.answers[i].Take(repetition, run.trials);
      result.runs[i].push_back(run);
    }
    if (runs[i].empty()) merged.missing.push_back(merged.suite.cells[i].name);
    const bool over = merged.until && result.answers[i].IsOver();
    if (!over) result.not_begun += static_cast<size_t>(merged.repeat) - runs[i].size();
  }
}

Result<MergedSuite> MergeParts(const std::vector<json>& read, const std::vector<fs::path>& parts) {
  const json& first = read.front();
  if (first.at("comparison").is_object())
    return BadInput(fmt::format("{}: is a comparison; its pairs of runs belong to one machine",
                                parts.front().string()));
  MergedSuite merged;
  merged.suite.name = first.at("suite").get<std::string>();
  merged.suite.seed = first.at("seed").get<uint64_t>();
  merged.suite.only = first.at("only").get<std::vector<std::string>>();
  const json changed = first.value("changed", json());
  merged.suite.changed = changed.is_string() ? changed.get<std::string>() : "";
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
  std::vector<RunsOfCell> runs(merged.suite.cells.size());
  for (size_t i = 0; i < read.size(); ++i) {
    TRY(AddRuns(read[i], parts[i], merged, runs));
    merged.result.seconds = std::max(merged.result.seconds, read[i].at("seconds").get<double>());
  }
  TakeRuns(runs, merged);
  return merged;
}

}  // namespace

Result<MergedSuite> ReadParts(const std::vector<fs::path>& parts) {
  std::vector<json> read;
  for (const fs::path& folder : parts) {
    read.push_back(TRY(ReadPart(folder)));
    TRY(CheckSameSuite(read.back(), read.front(),
                       fmt::format("{}: is not a part of the same suite as {}", folder.string(),
                                   parts.front().string()),
                       /*of_one_part=*/false));
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
    fs::copy(source, into, kLink, code);
    if (code) fs::copy(source, into, kOverwrite, code);
    if (code)
      return EnvironmentFailed(
          fmt::format("{}: cannot be written: {}", into.string(), code.message()));
  }
  return {};
}

}  // namespace doublehold
