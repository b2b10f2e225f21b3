// Reads a suite from its TOML file.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compose/driver/driver.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "compose/suite/suite.h"
#include "lib/base/connection.h"
#include "lib/base/words.h"
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
  return DriverPlan{.command = command,
                    .options = options,
                    .name = command,
                    .version = "?",
                    .can = {"extend", "lease", "lost", "read-write", "reentrant", "token"}};
}

Result<SuiteCell> ReadCell(Settings& file, Settings cell, const std::string& row,
                           const std::string& column, const std::string& where,
                           const std::string& file_name, const Settings& common) {
  for (const auto& [kind, name] : {std::pair{"row", row}, std::pair{"column", column}}) {
    if (const std::string why = WhyNotAName(name, kMostPartBytes); !why.empty())
      return BadInput(fmt::format("{}: {} {}", where, kind, why));
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
    if (name == "row" || name == "column") continue;
    const Setting setting = *cell.Take(name);
    if (setting.is_list) {
      own.SetList(name, setting.words, setting.where);
    } else {
      own.Set(name, setting.words.front(), setting.where);
    }
  }
  merged.Lay(own);
  const std::string name = row + "/" + column;
  merged.Set("name", name, where);
  Result<Plan> plan = BuildPlan(merged, PresumeDriver);
  if (!plan) {
    // Adds the number and name of the cell, unless the message names a place in the file.
    const bool placed = plan.error().message.starts_with(file_name);
    return BadInput(placed ? plan.error().message
                           : fmt::format("{} ({}): {}", where, name, plan.error().message));
  }
  return SuiteCell{.name = name,
                   .row = row,
                   .column = column,
                   .plan = std::move(*plan),
                   .settings = std::move(merged)};
}

// Reads a [[cell]] table. A table with several rows and columns has a cell for each pair of them.
Result<std::vector<SuiteCell>> ReadCells(Settings& file, int index, const std::string& file_name,
                                         const Settings& common) {
  Settings cell = file.TakeBelow(fmt::format("cell.{}", index));
  const std::string where = fmt::format("{}: cell {}", file_name, index + 1);
  const auto rows = TRY(TakeRequired(cell, "row", where));
  const auto columns = TRY(TakeRequired(cell, "column", where));
  std::vector<SuiteCell> cells;
  for (const std::string& row : rows) {
    for (const std::string& column : columns) {
      SuiteCell read = TRY(ReadCell(file, cell, row, column, where, file_name, common));
      cells.push_back(std::move(read));
    }
  }
  return cells;
}

// Checks that no other cell has the same name or the same folder.
Result<void> CheckDistinct(const Suite& suite, const SuiteCell& cell, const std::string& file) {
  for (const SuiteCell& other : suite.cells) {
    if (other.name == cell.name)
      return BadInput(fmt::format("{}: two cells are called {}", file, cell.name));
    if (FolderName(other.name) == FolderName(cell.name)) {
      return BadInput(fmt::format("{}: cells '{}' and '{}' would have the same folder, {}", file,
                                  other.name, cell.name, FolderName(cell.name)));
    }
  }
  return {};
}

}  // namespace

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
    std::vector<SuiteCell> cells = TRY(ReadCells(settings, index, file.string(), common));
    for (SuiteCell& cell : cells) {
      TRY(CheckDistinct(suite, cell, file.string()));
      AddCell(suite, std::move(cell));
    }
  }
  for (const std::string& column : suite.columns) {
    const std::string name = fmt::format("column.{}.about", column);
    if (settings.Has(name)) suite.about[column] = TRY(settings.TakeWord(name)).value_or("");
  }
  suite.seed = suite.cells.front().plan.seed;
  std::string plans;
  for (const SuiteCell& cell : suite.cells) plans += cell.name + ToJson(cell.plan).dump();
  suite.plans = Sha1Hex(plans);
  TRY(settings.CheckAllTaken("setting of a suite", {"cell"}));
  return suite;
}

}  // namespace doublehold
