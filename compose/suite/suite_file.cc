// Reads a suite from its TOML file.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compose/driver/driver.h"
#include "compose/driver/lock_name.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "compose/suite/load.h"
#include "compose/suite/suite.h"
#include "lib/base/words.h"
#include "lib/clients/redis.h"
#include "lib/plan/plan_json.h"
#include "lib/plan/settings.h"

namespace doublehold {
namespace {

constexpr int kMostCells = 10'000;
constexpr size_t kMostPartBytes = 120;  // of a row or column name; a cell's name has both

// Takes a setting that is one word or a list of words.
Result<std::vector<std::string>> TakeRequired(Settings& cell, const std::string& name,
                                              const std::string& where) {
  const std::optional<Setting> setting = cell.Take(name);
  if (!setting || setting->words.empty())
    return BadInput(fmt::format("{}: '{}' is missing", where, name));
  return setting->words;
}

// Returns the plan of a driver that supports everything, so that a suite can be read without
// starting its drivers.
Result<DriverPlan> PresumeDriver(const std::string& command, const DriverOptions& options) {
  return DriverPlan{
      .command = command,
      .options = options,
      .name = command,
      .version = "?",
      .can = {"extend", "keys-together", "lease", "lost", "read-write", "reentrant", "token"},
      .service = ""};
}

// Returns the settings of one cell: the common ones, those of its row and column, and its own.
Result<Settings> ReadCell(Settings& file, Settings cell, const std::string& row,
                          const std::string& column, const Settings& common) {
  for (const auto& [kind, name] : {std::pair{"row", row}, std::pair{"column", column}}) {
    const std::vector<std::string> known = file.TablesBelow(kind);
    if (known.empty() || std::ranges::find(known, name) != known.end()) continue;
    return BadInput(fmt::format("{}: {}", cell.Where(kind), UnknownWord(kind, name, known)));
  }
  Settings merged;
  merged.Lay(common);
  merged.Lay(file.TakeBelow("row." + row));
  merged.Lay(file.TakeBelow("column." + column));
  (void)merged.Take("about");
  Settings own;
  for (const std::string& name : cell.Names()) {
    if (name == "row" || name == "column" || name == "finding") continue;
    own.Put(name, *cell.Take(name));
  }
  merged.Lay(own);
  return merged;
}

Result<void> CheckFinding(const SuiteCell& cell, const std::string& where) {
  const auto expected = cell.plan.expect.find(cell.finding);
  if (cell.finding.empty()) return {};
  if (expected != cell.plan.expect.end() && expected->second == "violated") return {};
  return BadInput(
      fmt::format("{}: '{}' is not expected to be violated in {}", where, cell.finding, cell.name));
}

// Reads a [[cell]] table. A table with several rows and columns has a cell for each pair of them.
Result<void> ReadCells(Settings& file, int index, const std::string& file_name,
                       const Settings& common, Suite& suite) {
  Settings cell = file.TakeBelow(fmt::format("cell.{}", index));
  const std::string where = fmt::format("{}: cell {}", file_name, index + 1);
  const auto rows = TRY(TakeRequired(cell, "row", where));
  const auto columns = TRY(TakeRequired(cell, "column", where));
  const std::string finding_where = cell.Where("finding");
  const std::string finding = TRY(cell.TakeWord("finding")).value_or("");
  for (const std::string& row : rows) {
    for (const std::string& column : columns) {
      Settings settings = TRY(ReadCell(file, cell, row, column, common));
      TRY(AddCellOf(std::move(settings), row, column, where, suite));
      suite.cells.back().finding = finding;
      TRY(CheckFinding(suite.cells.back(), finding_where));
    }
  }
  return {};
}

// Checks that no other cell has the same name or the same folder.
Result<void> CheckDistinct(const Suite& suite, const std::string& name, const std::string& where) {
  for (const SuiteCell& other : suite.cells) {
    if (other.name == name)
      return BadInput(fmt::format("{}: two cells are called {}", where, name));
    if (FolderName(other.name) == FolderName(name)) {
      return BadInput(fmt::format("{}: cells '{}' and '{}' would have the same folder, {}", where,
                                  other.name, name, FolderName(name)));
    }
  }
  return {};
}

// Refuses a table of a row or a column without a cell: its settings would change nothing.
Result<void> CheckTablesAreUsed(Settings& file, const Suite& suite, const std::string& file_name) {
  for (const auto& [kind, used] : {std::pair{"row", &suite.rows}, {"column", &suite.columns}}) {
    for (const std::string& name : file.TablesBelow(kind)) {
      if (std::ranges::find(*used, name) != used->end()) continue;
      Settings table = file.TakeBelow(fmt::format("{}.{}", kind, name));
      const std::vector<std::string> settings = table.Names();
      return BadInput(fmt::format(
          "{}: {} '{}' has no cell; name it in a [[cell]], or remove its table",
          settings.empty() ? file_name : table.Take(settings.front())->where, kind, name));
    }
  }
  return {};
}

// Reads the table [compare], if there is one.
Result<void> ReadComparison(Settings& settings, const std::string& file, Suite& suite) {
  Settings table = settings.TakeBelow("compare");
  if (table.Names().empty()) return {};
  const auto word = [&](const char* name, const char* otherwise) -> Result<std::string> {
    return TRY(table.TakeWord(name)).value_or(otherwise);
  };
  const std::string baseline = TRY(word("baseline", ""));
  const std::string budget = TRY(word("budget", kUsualBudget));
  const std::string question = TRY(word("rate", kUsualQuestion));
  std::vector<std::string> load;
  if (std::optional<Setting> columns = table.Take("load")) load = std::move(columns->words);
  TRY(table.CheckAllTaken("setting of a comparison"));
  return SetComparison(baseline, budget, question, std::move(load), file + ": compare.", suite);
}

}  // namespace

Result<void> AddCellOf(Settings settings, const std::string& row, const std::string& column,
                       const std::string& where, Suite& suite) {
  for (const auto& [kind, part] : {std::pair{"row", row}, std::pair{"column", column}}) {
    if (const std::string why = WhyNotAName(part, kMostPartBytes); !why.empty())
      return BadInput(fmt::format("{}: {} {}", where, kind, why));
  }
  const std::string name = row + "/" + column;
  TRY(CheckDistinct(suite, name, where));
  settings.Set("name", name, where);
  const Result<void> named = ResolveLockName(settings);
  Result<Plan> plan = named ? BuildPlan(settings, PresumeDriver) : tl::unexpected(named.error());
  if (!plan) {
    // Adds the place and the name of the cell, unless the message names a place.
    const bool placed = plan.error().message.starts_with(where.substr(0, where.find(':')));
    return BadInput(placed ? plan.error().message
                           : fmt::format("{} ({}): {}", where, name, plan.error().message));
  }
  AddCell(suite, {.name = name,
                  .row = row,
                  .column = column,
                  .plan = std::move(*plan),
                  .settings = std::move(settings)});
  return {};
}

void FinishSuite(Suite& suite) {
  suite.seed = suite.cells.front().plan.seed;
  std::string plans;
  for (const SuiteCell& cell : suite.cells) plans += cell.name + ToJson(cell.plan).dump();
  suite.plans = Sha1Hex(plans);
}

Result<void> SetComparison(const std::string& baseline, const std::string& budget,
                           const std::string& question, std::vector<std::string> load,
                           const std::string& where, Suite& suite) {
  if (suite.rows.size() < 2)
    return BadInput(fmt::format("{}baseline: there is only {}; name one more to compare it with",
                                where, suite.rows.front()));
  ComparisonPlan plan{.baseline = baseline.empty() ? suite.rows.front() : baseline};
  if (std::ranges::find(suite.rows, plan.baseline) == suite.rows.end())
    return BadInput(where + "baseline: " + UnknownWord("row", plan.baseline, suite.rows));
  const Result<Duration> time = ParseDuration(budget, std::nullopt, "m");
  if (!time) return BadInput(fmt::format("{}budget: {}", where, time.error().message));
  plan.budget = *time;
  Result<Until> asked = ReadUntil(question);
  if (!asked) return BadInput(fmt::format("{}rate: {}", where, asked.error().message));
  plan.question = std::move(*asked);
  TRY(CheckLoad(suite, load, where));
  plan.load = std::move(load);
  suite.comparison = std::move(plan);
  return {};
}

void AddCell(Suite& suite, SuiteCell cell) {
  const auto remember = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  remember(suite.rows, cell.row);
  remember(suite.columns, cell.column);
  suite.cells.push_back(std::move(cell));
}

Result<Suite> ReadSuite(const std::filesystem::path& file) {
  Settings settings = TRY(Settings::ReadToml(file));
  Suite suite;
  const std::string place = settings.Has("name") ? settings.Where("name") : file.string();
  suite.name = TRY(settings.TakeWord("name")).value_or(file.stem().string());
  if (const std::string why = WhyNotAName(suite.name); !why.empty())
    return BadInput(fmt::format("{}: {}", place, why));
  Settings common = settings.TakeBelow("experiment");
  if (const std::optional<Setting> seed = settings.Take("seed")) {
    common.Set("seed", seed->words.front(), seed->where);
  }
  const int count = settings.CountTables("cell");
  if (count == 0)
    return BadInput(fmt::format("{}: has no [[cell]], so there is nothing to run", file.string()));
  if (count > kMostCells)
    return BadInput(fmt::format("{}: more than {} cells", file.string(), kMostCells));
  for (int index = 0; index < count; ++index) {
    TRY(ReadCells(settings, index, file.string(), common, suite));
  }
  TRY(CheckTablesAreUsed(settings, suite, file.string()));
  for (const std::string& column : suite.columns) {
    const std::string name = fmt::format("column.{}.about", column);
    if (settings.Has(name)) suite.about[column] = TRY(settings.TakeWord(name)).value_or("");
  }
  FinishSuite(suite);
  TRY(ReadComparison(settings, file.string(), suite));
  TRY(settings.CheckAllTaken("setting of a suite", {"cell"}));
  return suite;
}

}  // namespace doublehold
