#include "compose/suite/changed_cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compose/driver/bundled_drivers.h"
#include "compose/options/experiment_options.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

// Returns the drivers of all cells, each once. Returns bad input if they cannot be replaced by one.
Result<std::vector<std::string>> ListDrivers(const Suite& suite) {
  std::vector<std::string> drivers;
  const SuiteCell& first = suite.cells.front();
  for (const SuiteCell& cell : suite.cells) {
    if (!cell.plan.driver)
      return BadInput(
          fmt::format("--driver: {} has the built-in lock {}, and no driver to replace; choose "
                      "cells with --only",
                      cell.name, cell.plan.lock));
    const std::string& driver = cell.plan.driver->command;
    const std::string library = LibraryIn(driver), other = LibraryIn(first.plan.driver->command);
    if (library != other)
      return BadInput(fmt::format(
          "--driver: {} has the library {}, and {} has {}; choose cells of one library with --only",
          first.name, other, cell.name, library));
    if (std::ranges::find(drivers, driver) == drivers.end()) drivers.push_back(driver);
  }
  return drivers;
}

}  // namespace

void AddChangeOptions(po::options_description& options) {
  options.add_options()("driver", po::value<std::string>(),
                        "replace the driver of the chosen cells, which are of one library: "
                        "./mine, or redsync@path:../fix");
  options.add_options()("set", po::value<Words>()->composing(),
                        "set a key of an experiment file in the chosen cells: --set "
                        "lock.lease=300ms");
}

Result<void> ChangeCells(const ParsedLine& line, Suite& suite) {
  Settings changes;
  std::vector<std::string> said;
  if (line.values.contains("driver")) {
    const std::string driver = line.values["driver"].as<std::string>();
    said.push_back(fmt::format("the driver {} replaces {}", WithAbsoluteFolder(driver),
                               fmt::join(TRY(ListDrivers(suite)), ", ")));
    changes.Set("lock.driver", driver, "--driver");
  }
  TRY(ReadAssignments(line, changes));
  if (line.values.contains("set"))
    said.push_back(fmt::format("set {}", fmt::join(line.values["set"].as<Words>(), ", ")));
  if (said.empty()) return {};
  for (const SuiteCell& cell : std::exchange(suite.cells, {})) {
    Settings settings = cell.settings;
    settings.Lay(changes);
    TRY(AddCellOf(std::move(settings), cell.row, cell.column, "the changed cell", suite));
    suite.cells.back().finding = cell.finding;
    suite.cells.back().plan.seed = cell.plan.seed;
  }
  suite.changed = fmt::format("{}", fmt::join(said, "; "));
  return {};
}

}  // namespace doublehold
