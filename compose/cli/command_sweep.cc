#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/trim.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "checker/evidence/names.h"
#include "checker/measures/unavailable_time.h"
#include "compose/cluster/namespaces.h"
#include "compose/cluster/service.h"
#include "compose/driver/driver.h"
#include "compose/driver/lock_name.h"
#include "compose/options/experiment_options.h"
#include "compose/options/program_options.h"
#include "compose/options/screen.h"
#include "compose/os/end_signals.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "compose/run/run_once.h"
#include "compose/suite/repeat.h"
#include "compose/sweep/sweep.h"
#include "lib/base/words.h"
#include "lib/os/screen.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr int kSweepJobs = 4;  // a run mostly waits for its lease to expire
constexpr size_t kMostPrintedCells = 20;
constexpr int kMostSections = 1000;

// Defaults of a sweep: short enough for hundreds of runs, with one client more than a double hold
// needs.
constexpr std::array<std::pair<const char*, const char*>, 4> kSweepDefaults{
    {{"lock.lease", "400ms"},
     {"workload.clients", "3"},
     {"workload.duration", "4 lease"},
     {"workload.work", "0.05 lease"}}};

// The default of --faults. A sweep has clock faults only if --faults names them.
constexpr const char* kUsualFaults =
    "pause,crash,hold-request,hold-reply,drop-request,drop-reply,reset-reply";

std::vector<std::string> SweptNames() {
  std::vector<std::string> names;
  for (const FaultFormEntry& form : kFaultForms) {
    if (CanSweep(form)) names.emplace_back(form.name);
  }
  return names;
}

po::options_description SweepOptions(po::options_description& hidden) {
  po::options_description options("options");
  AddExperimentOptions(options, hidden, {"nemesis", "every"});
  auto add = options.add_options();
  add("faults", po::value<std::string>(),
      fmt::format("the faults, comma-separated, of: {}; default: {}", fmt::join(SweptNames(), ", "),
                  kUsualFaults)
          .c_str());
  add("section", po::value<int>()->default_value(1),
      "the section of client 1 that has the faults, counted from 1");
  add("depth", po::value<int>()->default_value(1),
      "faults in one run: 1, or 2 for each pair of faults at two places");
  add("jobs", po::value<int>()->default_value(kSweepJobs), "number of parallel runs");
  add("out", po::value<std::string>()->default_value("runs"), "folder for run folders");
  AddProgramOptions(options);
  add("json", "print sweep.json instead of the table");
  add("dry-run", "print the places and exit");
  return options;
}

Result<std::vector<const FaultFormEntry*>> ChosenFaults(const ParsedLine& line) {
  std::set<FaultForm> named;
  const bool is_said = line.values.contains("faults");
  for (std::string& name :
       SplitAtCommas(is_said ? line.values["faults"].as<std::string>() : kUsualFaults)) {
    boost::algorithm::trim(name);
    const std::optional<FaultForm> form = ParseFaultForm(name);
    if (!form || !CanSweep(EntryOf(*form)))
      return BadInput("--faults: " + UnknownWord("fault", name, SweptNames()));
    named.insert(*form);
  }
  std::vector<const FaultFormEntry*> chosen;
  for (const FaultForm form : named) chosen.push_back(&EntryOf(form));
  if (chosen.empty()) return BadInput("--faults: is empty; name at least one fault");
  return chosen;
}

Result<Plan> ReadBase(const ParsedLine& line) {
  ParsedLine plain = line;
  plain.values.erase("faults");  // --faults has another meaning in sweep
  Settings settings = TRY(ReadExperiment(plain));
  // Only the workload `inventory` has the setting workload.work.
  const std::optional<Setting> workload = Settings(settings).Take("workload.name");
  const bool inventory = !workload || workload->words == std::vector<std::string>{"inventory"};
  for (const auto& [name, value] : kSweepDefaults) {
    if (!inventory && name == std::string_view("workload.work")) continue;
    if (!settings.Has(name)) settings.Set(name, value, "the default of sweep");
  }
  Result<Plan> plan = BuildPlan(std::move(settings));
  if (!plan) return plan;
  if (!plan->faults.empty())
    return BadInput("sweep chooses the faults itself: use an experiment without faults");
  if (plan->direct)
    return BadInput("topology.direct: sweep needs the proxy, which observes the protocol");
  if (plan->threads > 1) return BadInput("workload.threads: sweep needs clients with one session");
  if (plan->clients < 2)
    return BadInput("--clients: must be at least 2, or no client contends for the lock");
  plan->expect.clear();
  plan->expect_cause.clear();
  return plan;
}

Result<ProtocolSection> LearnPlaces(const Plan& base, int section, const ServerPrograms& programs,
                                    const std::filesystem::path& folder) {
  TRY(MakeFolder(folder));
  std::vector<Frame> frames;
  TRY(RunOnce({.plan = PlanToLearn(base, section),
               .folder = folder,
               .programs = programs,
               .frames = &frames}));
  const History history = TRY(ReadHistory(folder));
  return FindProtocolPlaces(history, frames, section);
}

SweepOutcome ReadOutcome(const std::filesystem::path& folder, const SuiteCell& cell, bool pair) {
  const nlohmann::json verdict = ReadJsonFile(folder / "verdict.json");
  const Result<History> history = ReadHistory(folder);
  const std::optional<UnavailableTime> unheld =
      history ? FindLongestUnavailableTime(Evidence(*history)) : std::nullopt;
  return ReadSweepOutcome(verdict, unheld ? unheld->when.to_ns - unheld->when.from_ns : 0, cell,
                          pair);
}

void PrintSweptCell(const SweepCells& cells, size_t cell, const SweepOutcome& outcome,
                    const std::filesystem::path& folder) {
  const SuiteCell& one = cells.suite.cells[cell];
  const std::string what = cell < cells.singles ? fmt::format("{} at {}", one.column, one.row)
                                                : fmt::format("{}, then {}", one.row, one.column);
  fmt::print("{}: {}: {}\n    {}\n", outcome.letters, what, outcome.sentence, folder.string());
}

void PrintSweptCells(const SweepCells& cells, const std::vector<SweepOutcome>& outcomes,
                     const SuiteResult& result, const std::filesystem::path& folder) {
  fmt::print("{}\n{}\n", FormatSweepTable(cells, outcomes), FormatLegend(outcomes));
  size_t printed = 0, violated = 0, fresh = 0;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (result.runs[i].empty()) continue;
    if (!outcomes[i].violated.empty()) ++violated;
    const bool is_new = IsNew(cells, i, outcomes);
    if (is_new) ++fresh;
    const bool is_printed =
        is_new || IsUnknown(outcomes[i]) || (i < cells.singles && !outcomes[i].violated.empty());
    if (is_printed && printed++ < kMostPrintedCells)
      PrintSweptCell(cells, i, outcomes[i], folder / result.runs[i].front().folder);
  }
  if (printed > kMostPrintedCells)
    fmt::print("and {} more, in sweep.json\n", printed - kMostPrintedCells);
  if (!cells.pairs.empty())
    fmt::print("{} of {} pairs violate a claim that neither of their faults violates alone\n",
               fresh, cells.pairs.size());
  const int64_t begun =
      std::ranges::count_if(result.runs, [](const auto& runs) { return !runs.empty(); });
  fmt::print("{} of {} violate a claim; {:.1f} s{}\nfiles: {}\n", violated, Counted(begun, "run"),
             result.seconds,
             result.interrupted ? fmt::format("; interrupted: {} not begun",
                                              Counted(std::ssize(outcomes) - begun, "run"))
                                : "",
             folder.string());
}

std::string FormatPlaces(const std::vector<ProtocolPlace>& places) {
  std::string text;
  for (const ProtocolPlace& place : places)
    text += fmt::format("{}{}\n", place.IsStep() ? "" : "    ", Describe(place));
  return text;
}

nlohmann::json ToJson(const SweepCells& cells, const std::vector<SweepOutcome>& outcomes,
                      const SuiteResult& result) {
  nlohmann::json list = nlohmann::json::array();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    list.push_back(ToJson(cells.suite, outcomes[i], i));
    list.back()["new"] = IsNew(cells, i, outcomes);
    list.back()["dir"] = result.runs[i].empty() ? "" : result.runs[i].front().folder.string();
  }
  const auto& driver = cells.suite.cells.front().plan.driver;
  nlohmann::json library;
  if (driver) library = {{"name", driver->name}, {"version", driver->version}};
  return {{"sweep", cells.suite.name},
          {"library", std::move(library)},
          {"seconds", result.seconds},
          {"interrupted", result.IsCut()},
          {"cells", std::move(list)}};
}

void ShowSweepProgress(const SuiteProgress& now) {
  ShowProgressLine(fmt::format("{} of {} runs; about {} left: {}", now.done, now.of,
                               RoughTime(now.seconds_left), fmt::join(now.running, ", ")));
}

Result<ExitCode> Sweep(const ParsedLine& line, SuiteRequest& runs, const SweepCells& cells) {
  const bool terminal = IsScreen(STDERR_FILENO);
  if (terminal) {
    runs.progress = ShowSweepProgress;
  } else if (!line.values.contains("json")) {
    runs.progress = ProgressInLines();
  }
  BlockEndSignals();  // until the result is printed; RunSuite takes the signals by sigtimedwait
  const SuiteResult result = RunSuite(runs);
  if (terminal) EraseProgressLine();
  std::vector<SweepOutcome> outcomes;
  for (size_t i = 0; i < result.runs.size(); ++i) {
    const std::vector<CellRun>& cell = result.runs[i];
    outcomes.push_back(cell.empty() ? SweepOutcome{.letters = ""}
                                    : ReadOutcome(runs.folder / cell.front().folder,
                                                  cells.suite.cells[i], i >= cells.singles));
  }
  nlohmann::json json = ToJson(cells, outcomes, result);
  const Result<void> written = WriteWhole(runs.folder / "sweep.json", json.dump(2) + "\n");
  json["folder"] = runs.folder.string();
  if (line.values.contains("json")) {
    fmt::print("{}\n", json.dump(2));
  } else {
    PrintSweptCells(cells, outcomes, result, runs.folder);
  }
  if (result.error) return tl::unexpected(*result.error);
  if (!written) return tl::unexpected(written.error());
  // A pair whose second fault had no target is undecided, but does not make the sweep unknown.
  const ExitCode status = SuiteExitCode(result);
  const bool open = result.interrupted || std::ranges::any_of(outcomes, IsUnknown);
  return status == ExitCode::kUnknown && !open ? ExitCode::kAsExpected : status;
}

}  // namespace

Result<ExitCode> SweepCommand(const Words& words) {
  po::options_description hidden;
  ParsedLine line =
      TRY(ParseLine(words, SweepOptions(hidden),
                    "sweep [EXPERIMENT.toml] [options]\n"
                    "Runs a lock on real servers once for each place of a section and each fault.",
                    hidden));
  if (line.help) return ExitCode::kAsExpected;
  const std::vector<const FaultFormEntry*> faults = TRY(ChosenFaults(line));
  const int depth = line.values["depth"].as<int>();
  if (depth != 1 && depth != 2) return BadInput("--depth: must be 1 or 2");
  const int section = line.values["section"].as<int>();
  if (section < 1 || section > kMostSections)
    return BadInput(fmt::format("--section: {} is not in 1..{}", section, kMostSections));
  if (line.values.contains("json") && line.values.contains("dry-run"))
    return BadInput("--dry-run: cannot be combined with --json");
  const Plan base = TRY(ReadBase(line));
  Suite suite{.name = "sweep-" + base.lock, .seed = base.seed, .about = {}};
  SuiteRequest runs = TRY(ReadRepeat(line, suite));
  const ServerPrograms programs = TRY(FindPrograms(runs.programs, base));
  TRY(CheckMachine(base));
  runs.folder = TRY(MakeRunFolder(line.values["out"].as<std::string>(), suite.name, suite.seed));
  const ProtocolSection found = TRY(LearnPlaces(base, section, programs, runs.folder / "learn"));
  const SweepRequest request{
      .base = base, .found = found, .faults = faults, .section = section, .depth = depth};
  const SweepCells cells = TRY(MakeSweepCells(request));
  suite = cells.suite;
  if (!line.values.contains("json")) {
    fmt::print("{}{}: {} in section {} of client {}, {}, {}{}\n\n", OwnCopyLine(base.lock),
               base.lock, Counted(found.places.size(), "place"), section, kFaultedClient,
               Counted(faults.size(), "fault"), Counted(suite.cells.size(), "run"),
               depth == 1 ? "" : fmt::format(", {} of pairs", cells.pairs.size()));
    std::fflush(stdout);
  }
  if (line.values.contains("dry-run")) {
    fmt::print("{}", FormatPlaces(found.places));
    return ExitCode::kAsExpected;
  }
  return Sweep(line, runs, cells);
}

}  // namespace doublehold
