#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "compose/cluster/clock_shim.h"
#include "compose/cluster/namespaces.h"
#include "compose/cluster/service.h"
#include "compose/driver/driver.h"
#include "compose/driver/lock_name.h"
#include "compose/options/command_line.h"
#include "compose/options/experiment_options.h"
#include "compose/options/program_options.h"
#include "compose/options/screen.h"
#include "compose/os/end_signals.h"
#include "compose/os/last_words.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/service_rules.h"
#include "compose/run/run_once.h"
#include "compose/suite/repeat.h"
#include "compose/suite/suite_tables.h"
#include "lib/clock/time_speed.h"
#include "lib/os/screen.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

// With more grants than this, the run is not judged while it runs: judging would disturb it.
constexpr int64_t kMostGrantsToJudge = 20'000;

po::options_description RunOptions() {
  po::options_description options("options");
  auto add = options.add_options();
  po::options_description none;
  AddExperimentOptions(options, none);
  add("faults", po::value<std::string>(),
      "fault profiles, comma-separated: network,pause,clock; or none");
  add("direct", "connect clients to the servers directly, without the proxy");
  add("i-own-this-server",
      "with --endpoint: let the run delete keys that have the names of its own keys");
  add("plan", po::value<std::string>(), "run this plan.json again");
  add("out", po::value<std::string>()->default_value("runs"), "folder for run folders");
  add("into", po::value<std::string>(), "write the run into exactly this folder");
  add("replace", "with --into: replace the run and the report in that folder");
  AddProgramOptions(options);
  AddRepeatOptions(options, 1);
  AddJUnitOption(options);
  add("json", "print verdict.json instead of the table; with --repeat, a summary line of JSON");
  add("verbose", "also print every kind of violation, the margins and the faults");
  add("quiet", "print nothing but errors");
  add("frames",
      "also record requests and replies in frames.jsonl; the report draws them as arrows");
  add("dry-run", "print the plan and exit");
  return options;
}

Result<Plan> ReadPlan(const ParsedLine& line) {
  if (!line.values.contains("plan")) {
    Settings settings = TRY(ReadExperiment(line));
    return BuildPlan(std::move(settings));
  }
  for (const char* other : {"faults", "direct", "i-own-this-server"}) {
    if (line.values.contains(other))
      return BadInput(
          fmt::format("--{}: cannot be combined with --plan, which runs a plan unchanged", other));
  }
  if (const std::string flag = ExperimentOptionIn(line); !flag.empty())
    return BadInput(
        fmt::format("--{}: cannot be combined with --plan, which runs a plan unchanged", flag));
  if (!line.rest.empty()) return BadInput("--plan: cannot be combined with an experiment file");
  const std::string file = line.values["plan"].as<std::string>();
  Result<Plan> plan = ReadPlanFile(file);
  if (plan) {
    AddStore(*plan);
    TRY(CheckPlan(*plan, file));
  }
  return plan;
}

Result<std::filesystem::path> ChooseFolder(const ParsedLine& line, const Plan& plan) {
  if (!line.values.contains("into")) {
    return MakeRunFolder(line.values["out"].as<std::string>(), plan.experiment, plan.seed);
  }
  const std::filesystem::path folder = line.values["into"].as<std::string>();
  TRY(MakeFolderForRun(folder,
                       line.values.contains("replace") ? Existing::kReplace : Existing::kRefuse));
  return folder;
}

// `planned` is the time for which the clients work.
void ShowRunProgress(Duration planned, const Progress& progress,
                     const std::function<History()>& snapshot) {
  std::string violations = "-";
  if (progress.grants <= kMostGrantsToJudge) {
    int64_t count = 0;
    const History history = snapshot();
    for (const CheckerEntry& checker : Checkers()) {
      if (checker.claim == "exclusion") count = checker.check(history, Limits{}).count;
    }
    violations = std::to_string(count);
  }
  ShowProgressLine(
      fmt::format("{:6.1f} s, {} left   holds {}   orders {}   held twice {}   faults active {}",
                  ToSeconds(progress.elapsed), RoughTime(ToSeconds(planned - progress.elapsed)),
                  progress.grants, progress.orders, violations, progress.active_faults));
}

// Returns the plan as a suite with one cell.
Suite SuiteOfRun(const Plan& plan) {
  const std::string& column = plan.experiment;
  return {
      .name = plan.experiment,
      .seed = plan.seed,
      .rows = {plan.lock},
      .columns = {column},
      .about = {},
      .cells = {
          {.name = plan.lock + "/" + column, .row = plan.lock, .column = column, .plan = plan}}};
}

// Writes the file that --junit names, for a run in this folder.
Result<void> WriteJUnit(const ParsedLine& line, const Plan& plan,
                        const std::filesystem::path& folder, const Result<JudgedRun>& judged) {
  if (!line.values.contains("junit")) return {};
  const Suite suite = SuiteOfRun(plan);
  CellRun run{.folder = folder.filename(), .seed = plan.seed};
  if (judged) {
    (void)TakeVerdict(ToJson(judged->verdict), run);
    run.seconds = judged->verdict.tally.seconds;
  } else {
    run.error = judged.error().message;
  }
  const SuiteResult result{.runs = {{run}}, .answers = {}, .seconds = run.seconds};
  return WriteWhole(line.values["junit"].as<std::string>(),
                    ToJUnit({.suite = suite, .folder = folder.parent_path()}, result));
}

Result<ExitCode> RunRepeatedly(const Plan& plan, const ParsedLine& line) {
  if (line.values.contains("into"))
    return BadInput("--into: only for one run; use --out for repeated runs");
  const Suite suite = SuiteOfRun(plan);
  SuiteRequest request = TRY(ReadRepeat(line, suite));
  TRY(CheckRepeat(request));
  return RunAndPrint(request, line,
                     line.values.contains("quiet")  ? SummaryForm::kNothing
                     : line.values.contains("json") ? SummaryForm::kJson
                                                    : SummaryForm::kLines);
}

// Returns the folder's path through the link `latest`, if the folder is the latest of its
// experiment.
std::string ShortenFolderName(const std::filesystem::path& folder) {
  const std::filesystem::path latest = folder.parent_path() / "latest";
  std::error_code code;
  const bool is_latest = std::filesystem::equivalent(latest, folder, code) && !code;
  return (is_latest ? latest : folder).string();
}

// Returns the last lines that a run prints, after the text of its verdict.
std::string EndText(const JudgedRun& run, const std::filesystem::path& folder,
                    const ParsedLine& line) {
  const RunVerdict& verdict = run.verdict;
  const Color color = verdict.overall == Outcome::kViolated ? Color::kRed
                      : verdict.overall == Outcome::kValid  ? Color::kGreen
                                                            : Color::kYellow;
  const std::string interrupted =
      run.interrupted ? fmt::format("interrupted after {:.1f} s of {:g} s\n",
                                    ToSeconds(*run.interrupted), ToSeconds(verdict.facts.duration))
                      : "";
  return fmt::format("{}\n{}files: {}\n{}{}{}next: doublehold report {}\n",
                     line.values.contains("verbose")
                         ? ""
                         : "(--verbose prints all violations, margins and faults)",
                     OwnCopyLine(verdict.facts.lock), folder.string(),
                     InColor(VerdictLine(verdict), color, TakesColor(line)), interrupted,
                     PaceText(verdict), ShortenFolderName(folder));
}

void PrintRun(const JudgedRun& run, const std::filesystem::path& folder, const ParsedLine& line) {
  if (line.values.contains("json")) {
    nlohmann::json json = nlohmann::json::parse(run.json);
    json["folder"] = folder.string();
    fmt::print("{}\n", json.dump(2));
  } else if (!line.values.contains("quiet")) {
    const bool verbose = line.values.contains("verbose");
    fmt::print("{}{}", verbose ? ToText(run.verdict) : ToShortText(run.verdict),
               EndText(run, folder, line));
  }
}

}  // namespace

Result<ExitCode> RunCommand(const Words& words) {
  ParsedLine line = TRY(ParseLine(words, RunOptions(),
                                  "run [EXPERIMENT.toml] [options]\n"
                                  "Runs a lock under faults on real servers, and judges the "
                                  "history."));
  if (line.help) return ExitCode::kAsExpected;
  if (line.values.contains("replace") && !line.values.contains("into"))
    return BadInput("--replace: needs --into, which names the folder");
  const HistoryFiles history = TRY(ReadHistoryFiles(line));
  TRY(CheckJUnit(line));
  const Result<Plan> read = ReadPlan(line);
  if (!read && read.error().code == ExitCode::kEnvironment) {
    // The driver is missing, so there is no plan. A CI pipeline finds the reason in the JUnit file.
    const Plan none{.experiment = "run", .lock = "driver"};
    TRY(WriteJUnit(line, none, {}, tl::unexpected(read.error())));
  }
  const Plan plan = TRY(read);
  if (line.values.contains("dry-run")) {
    fmt::print("{}\n", ToJson(plan).dump(2));
    return ExitCode::kAsExpected;
  }
  if (line.values.contains("repeat") || line.values.contains("until")) {
    if (line.values.contains("frames"))
      return BadInput("--frames: only for one run, not for repeated runs");
    return RunRepeatedly(plan, line);
  }
  if (line.values.contains("frames") && plan.direct)
    return BadInput("--frames: cannot be combined with --direct, because the proxy records frames");
  if (!line.values["jobs"].defaulted()) return BadInput("--jobs: needs --repeat or --until");
  if (line.values.contains("fail-fast")) return BadInput("--fail-fast: needs --repeat or --until");
  if (plan.speed > 0 && TimeSpeed() == 1) {
    Words again{"doublehold", "run"};
    again.insert(again.end(), words.begin(), words.end());
    TRY(EnterFastTime(plan.speed, std::move(again)));
  }
  // Checked before anything is written.
  const ServerPrograms programs = TRY(FindPrograms(ReadProgramOptions(line), plan));
  TRY(CheckMachine(plan));
  const std::filesystem::path folder = TRY(ChooseFolder(line, plan));
  const bool terminal = !line.values.contains("quiet") && IsScreen(STDERR_FILENO);
  std::vector<Frame> frames;
  RunRequest request{.plan = plan,
                     .folder = folder,
                     .programs = programs,
                     .frames = line.values.contains("frames") ? &frames : nullptr,
                     .history = history,
                     .keep_if_killed = true};
  std::optional<LastWords> words_said;
  request.on_written = [&] {
    words_said.emplace(
        fmt::format("doublehold run: interrupted before the verdict was printed; to judge what was "
                    "recorded: doublehold check {}",
                    folder.string()));
  };
  if (terminal) request.progress = std::bind_front(ShowRunProgress, plan.duration);
  const Result<JudgedRun> run = RunAndJudge(request);
  BlockEndSignals();
  words_said.reset();
  if (terminal) EraseProgressLine();
  if (run) PrintRun(*run, folder, line);
  const Result<void> junit = WriteJUnit(line, plan, folder, run);
  if (!run) return tl::unexpected(run.error());
  if (run->unwritten) return tl::unexpected(*run->unwritten);
  TRY(junit);
  return run->verdict.exit_code;
}

}  // namespace doublehold
