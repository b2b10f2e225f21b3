#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compose/options/command_line.h"
#include "compose/options/experiment_options.h"
#include "compose/options/screen.h"
#include "compose/suite/comparison.h"
#include "compose/suite/repeat.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kDriver = "driver:";
constexpr const char* kCost = "cost";
constexpr const char* kCalm = "calm";
constexpr std::array kOfTheWorkload{"workload.", "limits.", "claims", "faults", "nemesis."};

po::options_description CompareOptions(po::options_description& hidden) {
  po::options_description options("options");
  auto add = options.add_options();
  add("locks", po::value<std::string>(),
      "the locks, comma-separated: redlock,fenced,driver:redisson (driver:COMMAND is a driver)");
  add("baseline", po::value<std::string>(),
      "the lock that the others are compared with (default: the first)");
  add("faults", po::value<std::string>()->default_value("pause,clock,network"),
      "fault profiles, comma-separated; each is a column, beside cost and calm");
  add("budget", po::value<std::string>()->default_value(kUsualBudget),
      "how long to compare, such as 10m");
  add("rate", po::value<std::string>()->default_value(kUsualQuestion),
      "the question for each cell; an answered cell leaves its time to the others");
  AddExperimentOptions(options, hidden, {"lock", "driver", "option"});
  add("jobs", po::value<int>()->default_value(kSuiteJobs), "number of parallel runs");
  add("history", po::value<std::string>()->default_value("binary"),
      "history files of a run: both, or binary");
  add("out", po::value<std::string>()->default_value("runs"), "folder for run folders");
  add("redis-server", po::value<std::string>()->default_value("redis-server"),
      "the redis-server program");
  add("json", "print a summary line of JSON");
  AddColorOption(options);
  return options;
}

// Returns the settings of a lock: of a variant, or of a driver.
Settings SettingsOfLock(const std::string& lock) {
  Settings settings;
  if (lock.starts_with(kDriver)) {
    settings.Set("lock.driver", lock.substr(kDriver.size()), "--locks");
  } else {
    settings.Set("lock.name", lock, "--locks");
  }
  return settings;
}

// Returns the settings of a column: cost, calm, or a fault profile. The column cost ignores the
// experiment's workload and claims.
Settings SettingsOfColumn(const std::string& column, Settings experiment) {
  if (column == kCalm) return experiment;
  if (column != kCost) {
    experiment.Set("faults", column, "--faults");
    return experiment;
  }
  Settings cost;
  for (const std::string& name : experiment.Names()) {
    const bool of_workload = std::ranges::any_of(
        kOfTheWorkload, [&](std::string_view table) { return name.starts_with(table); });
    if (!of_workload) cost.Put(name, *experiment.Take(name));
  }
  // One client excludes nobody, so it shows nothing about the other claims.
  cost.Set("claims", "liveness", "the column cost");
  cost.Set("workload.name", "cycle", "the column cost");
  cost.Set("workload.clients", "1", "the column cost");
  cost.Set("workload.duration", "500ms", "the column cost");
  return cost;
}

// Returns the name of a lock's row. A driver is named after the last file of its command.
std::string NameRow(const std::string& lock) {
  if (!lock.starts_with(kDriver)) return lock;
  return std::string(kDriver) + lock.substr(lock.find_last_of(" /:") + 1);
}

// Returns the names of the rows. A lock that is named twice is compared with itself.
std::vector<std::string> NameRows(const std::vector<std::string>& locks) {
  std::vector<std::string> rows;
  for (const std::string& lock : locks) {
    std::string row = NameRow(lock);
    for (int number = 2; std::ranges::find(rows, row) != rows.end(); ++number)
      row = fmt::format("{}-{}", NameRow(lock), number);
    rows.push_back(row);
  }
  return rows;
}

Result<Suite> BuildSuite(const ParsedLine& line) {
  std::vector<std::string> locks;
  if (line.values.contains("locks")) locks = SplitAtCommas(line.values["locks"].as<std::string>());
  if (locks.empty()) return BadInput("name the locks: --locks redlock,set-nx-px,fenced");
  const std::vector<std::string> rows = NameRows(locks);
  std::vector<std::string> columns{kCost, kCalm};
  for (const std::string& fault : SplitAtCommas(line.values["faults"].as<std::string>()))
    columns.push_back(fault);
  ParsedLine experiment = line;
  experiment.values.erase("faults");
  Settings common;
  common.Set("lock.lease", "500ms", "compare");
  // A run has one episode of each fault of its profile. Many short runs show more than a few long
  // ones.
  common.Set("workload.duration", "3 lease", "compare");
  common.Lay(TRY(ReadExperiment(experiment)));
  Suite suite{.name = "comparison", .about = {}, .cells = {}};
  for (size_t i = 0; i < locks.size(); ++i) {
    for (const std::string& column : columns) {
      Settings settings = SettingsOfColumn(column, common);
      settings.Lay(SettingsOfLock(locks[i]));
      TRY(AddCellOf(std::move(settings), rows[i], column, "--locks", suite));
    }
  }
  FinishSuite(suite);
  TRY(SetComparison(
      line.values.contains("baseline") ? line.values["baseline"].as<std::string>() : "",
      line.values["budget"].as<std::string>(), line.values["rate"].as<std::string>(), "--", suite));
  return suite;
}

}  // namespace

Result<ExitCode> CompareCommand(const Words& words) {
  po::options_description hidden;
  const po::options_description options = CompareOptions(hidden);
  const ParsedLine line = TRY(ParseLine(
      words, options,
      "compare --locks LOCK,LOCK,... [options]\nRuns locks in pairs, with equal seeds and faults, "
      "and says how they differ."));
  if (line.help) return ExitCode::kAsExpected;
  Suite suite = TRY(BuildSuite(line));
  SuiteRequest request = TRY(ReadRepeat(line, suite));
  TRY(PlanComparison(request));
  TRY(QueryDrivers(suite));
  TRY(CheckRepeat(request));
  return RunAndPrint(request, line,
                     line.values.contains("json") ? SummaryForm::kJson : SummaryForm::kLines);
}

}  // namespace doublehold
