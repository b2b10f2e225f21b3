#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "checker/evidence/names.h"
#include "compose/driver/lock_name.h"
#include "compose/options/command_line.h"
#include "compose/options/experiment_options.h"
#include "compose/options/program_options.h"
#include "compose/options/screen.h"
#include "compose/plan/fault_settings.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/setting_reader.h"
#include "compose/suite/comparison.h"
#include "compose/suite/repeat.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr const char* kCost = "cost";
constexpr const char* kCalm = "calm";
constexpr const char* kUsualLoad = "1,2,8,32,64,100/s,1000/s,hold";
constexpr std::string_view kASecond = "/s";
// The sessions to which customers come by a schedule. With enough sessions, few customers wait for
// the one before them.
constexpr int kClientsOfSchedule = 8, kThreadsOfSchedule = 4;
constexpr int64_t kMostASecond = 1'000'000;
constexpr std::array kOfTheWorkload{"workload.", "limits.", "claims", "faults", "nemesis."};

po::options_description CompareOptions(po::options_description& hidden) {
  po::options_description options("options");
  auto add = options.add_options();
  add("locks", po::value<std::string>(),
      "the locks, comma-separated: redlock,redis-py,driver:redisson[kind=fair] (driver:COMMAND is "
      "a "
      "driver)");
  add("baseline", po::value<std::string>(),
      "the lock that the others are compared with (default: the first)");
  add("faults", po::value<std::string>()->default_value("pause,clock,network"),
      "fault profiles, comma-separated; each is a column, beside cost and calm; or none");
  add("budget", po::value<std::string>()->default_value(kUsualBudget),
      "how long to compare, such as 10m");
  add("load", po::value<std::string>()->implicit_value(kUsualLoad)->default_value("", "none"),
      fmt::format("load curves, comma-separated: 8 (clients), 100/s (customers a second), hold; "
                  "without a value {}",
                  kUsualLoad)
          .c_str());
  add("rate", po::value<std::string>()->default_value(kUsualQuestion),
      "the question for each cell; an answered cell leaves its time to the others");
  AddExperimentOptions(options, hidden, {"lock", "driver", "option"});
  add("jobs", po::value<int>()->default_value(kSuiteJobs), "number of parallel runs");
  add("history", po::value<std::string>()->default_value("binary"),
      "history files of a run: both, or binary");
  add("out", po::value<std::string>()->default_value("runs"), "folder for run folders");
  AddProgramOptions(options);
  add("json", "print a summary line of JSON");
  AddColorOption(options);
  return options;
}

// A column of the comparison, and the settings that are its own.
struct Column {
  std::string name;
  Settings settings;
  bool is_load = false;
  // Runs the workload cycle in place of the experiment's workload.
  [[nodiscard]] bool RunsCycle() const { return is_load || name == kCost; }
};

// One client excludes nobody, so it shows nothing about the other claims.
void SetOneClient(Settings& settings, const std::string& where) {
  settings.Set("workload.clients", "1", where);
  settings.Set("claims", "liveness", where);
}

// Reads one word of --load.
Result<Column> ReadLoad(const std::string& word) {
  Column column{.is_load = true};
  const auto set = [&column](const char* name, const std::string& value) {
    column.settings.Set(name, value, "--load");
  };
  if (word == "hold") {
    column.name = word;
    set("workload.duration", "4 lease");
    set("workload.work", "2 lease");
    SetOneClient(column.settings, "--load");
    set("limits.commands-per-hold", "1000000");  // so that the time of each command is recorded
    return column;
  }
  // Long enough that no lease ends while a busy machine delays its holder.
  set("lock.lease", "10s");
  set("workload.duration", "1s");
  const bool by_schedule = word.ends_with(kASecond);
  const std::string digits = word.substr(0, word.size() - (by_schedule ? kASecond.size() : 0));
  int64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size() || number < 1 ||
      number > kMostASecond)
    return BadInput(fmt::format(
        "--load: '{}' is neither a number of clients (8), nor customers a second (100/s), nor hold",
        word));
  if (!by_schedule) {
    column.name = Counted(number, "client");
    set("workload.clients", digits);
    if (number == 1) SetOneClient(column.settings, "--load");
    return column;
  }
  column.name = fmt::format("{} a second", number);
  set("workload.clients", std::to_string(kClientsOfSchedule));
  set("workload.threads", std::to_string(kThreadsOfSchedule));
  const Duration all = std::chrono::seconds(kClientsOfSchedule * kThreadsOfSchedule);
  set("workload.every", fmt::format("{}ns", ToNs(all / number)));
  return column;
}

Result<std::vector<Column>> ReadColumns(const ParsedLine& line) {
  std::vector<Column> columns{{.name = kCost}, {.name = kCalm}};
  SetOneClient(columns.front().settings, "the column cost");
  columns.front().settings.Set("workload.duration", "500ms", "the column cost");
  Settings given;
  given.Set("faults", line.values["faults"].as<std::string>(), "--faults");
  SettingReader reader(given);
  const std::vector<std::string> profiles = ReadProfileNames(reader);
  if (reader.error()) return tl::unexpected(*reader.error());
  for (const std::string& fault : profiles) {
    columns.push_back({.name = fault});
    columns.back().settings.Set("faults", fault, "--faults");
  }
  for (const std::string& word : SplitAtCommas(line.values["load"].as<std::string>()))
    columns.push_back(TRY(ReadLoad(word)));
  return columns;
}

// Returns the settings of a column's cells. A column that runs the workload cycle ignores the
// experiment's workload and claims.
Settings SettingsOfColumn(const Column& column, Settings experiment) {
  if (!column.RunsCycle()) {
    experiment.Lay(column.settings);
    return experiment;
  }
  Settings cycle;
  for (const std::string& name : experiment.Names()) {
    const bool of_workload = std::ranges::any_of(
        kOfTheWorkload, [&](std::string_view table) { return name.starts_with(table); });
    if (!of_workload) cycle.Put(name, *experiment.Take(name));
  }
  cycle.Set("workload.name", "cycle", column.name);
  cycle.Lay(column.settings);
  return cycle;
}

// The long lease of a load must not make clients poll less often than in the other columns. A lock
// with an interval of its own keeps it.
void KeepPollInterval(const Column& column, Settings& settings) {
  if (!column.settings.Has("lock.lease") || settings.Has("retry.interval") ||
      settings.Has("lock.pace"))
    return;
  const Result<LockName> lock = ReadLockName(Settings(settings).Take("lock.name")->words.front());
  const LockEntry* entry = lock ? FindLock(lock->name) : nullptr;
  if (entry == nullptr || entry->retry_interval.empty())
    settings.Set("retry.interval", "10ms", "--load");
}

// Returns the name of a lock's row. A driver is named after the last file of its command.
std::string NameRow(const std::string& lock) {
  if (const size_t at = lock.find(kFromFolder); at != std::string::npos) {
    const std::filesystem::path folder = lock.substr(at + kFromFolder.size());
    return fmt::format("{}@{}", lock.substr(0, at), folder.filename().string());
  }
  if (!lock.starts_with(kDriverPrefix)) return lock;
  return std::string(kDriverPrefix) + lock.substr(lock.find_last_of(" /:", lock.find('[')) + 1);
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
  if (line.values.contains("locks")) locks = SplitLockNames(line.values["locks"].as<std::string>());
  if (locks.empty()) return BadInput("name the locks: --locks redlock,set-nx-px,fenced");
  const std::vector<std::string> rows = NameRows(locks);
  const std::vector<Column> columns = TRY(ReadColumns(line));
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
    for (const Column& column : columns) {
      Settings settings = SettingsOfColumn(column, common);
      settings.Set("lock.name", locks[i], "--locks");
      KeepPollInterval(column, settings);
      TRY(AddCellOf(std::move(settings), rows[i], column.name, "--locks", suite));
    }
  }
  FinishSuite(suite);
  std::vector<std::string> load;
  for (const Column& column : columns)
    if (column.is_load) load.push_back(column.name);
  TRY(SetComparison(
      line.values.contains("baseline") ? line.values["baseline"].as<std::string>() : "",
      line.values["budget"].as<std::string>(), line.values["rate"].as<std::string>(),
      std::move(load), "--", suite));
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
