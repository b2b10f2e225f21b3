#include "compose/suite/repeat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "checker/evidence/names.h"
#include "compose/cluster/kept_servers.h"
#include "compose/cluster/namespaces.h"
#include "compose/cluster/service.h"
#include "compose/options/program_options.h"
#include "compose/options/screen.h"
#include "compose/os/end_signals.h"
#include "compose/os/run_folder.h"
#include "compose/suite/baseline.h"
#include "compose/suite/comparison.h"
#include "compose/suite/load.h"
#include "compose/suite/stored_runs.h"
#include "compose/suite/suite_tables.h"
#include "lib/base/words.h"
#include "lib/os/screen.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr int kMostRepetitions = 100'000;
// Limit of the runs of a cell with --until and without --repeat.
constexpr int kRepetitionsUntilAnswered = 1000;
constexpr int kMostRepeatJobs = 64;
constexpr std::string_view kSameExpectations =
    "; the suite's file still says what is expected: a run as expected may be violated\n";
constexpr Duration kBetweenLines = std::chrono::seconds(10);  // between two lines of progress

Result<std::optional<Until>> ReadUntilOption(const ParsedLine& line) {
  if (!line.values.contains("until")) return std::nullopt;
  return TRY(ReadUntil(line.values["until"].as<std::string>()));
}

// Refuses a cell that does not judge the claim: --until would never get an answer.
Result<void> CheckJudged(const Until& until, const Suite& suite) {
  if (until.claim == kAnyClaim) return {};
  for (const SuiteCell& cell : suite.cells) {
    const std::vector<std::string>& judged = cell.plan.claims;
    if (std::ranges::find(judged, until.claim) != judged.end()) continue;
    return BadInput(fmt::format("--until '{}': {} does not judge {} (it judges {}){}", until.text,
                                cell.name, until.claim, fmt::join(judged, ", "),
                                suite.cells.size() > 1 ? "; --only chooses cells" : ""));
  }
  return {};
}

// Checks once the requirements that would otherwise fail in every cell: the servers' programs, and
// the network of the cells.
Result<void> CheckNeeds(const SuiteRequest& request) {
  TRY(FindProgram(request.programs, kRedisService));
  for (const auto& [service, path] : request.programs) TRY(FindProgram(request.programs, service));
  for (const SuiteCell& cell : request.suite.cells) TRY(CheckServer(cell.plan));
  const auto neediest =
      std::ranges::max_element(request.suite.cells, {}, [](const SuiteCell& cell) {
        return std::pair(cell.plan.net == kNamespaces, cell.plan.packet_delay);
      });
  return CheckMachine(neediest->plan);
}

// Returns the exit status with --until. Only the answers count, not whether each run was as
// expected.
ExitCode StatusOfAnswers(const SuiteResult& result) {
  const AnswerCount count = CountAnswers(result);
  if (count.not_below > 0) return ExitCode::kViolated;
  if (count.not_decided == 0 && !result.IsCut()) return ExitCode::kAsExpected;
  for (size_t i = 0; i < result.answers.size(); ++i) {
    const Repetitions& answer = result.answers[i];
    if (answer.IsOver() && answer.answer() == RateAnswer::kOpen) return ExitCode::kEnvironment;
  }
  return ExitCode::kUnknown;
}

// Returns the exit status of a comparison. It has no expectations, so violations do not fail it.
ExitCode StatusOfComparison(const SuiteResult& result) {
  for (const auto& runs : result.runs) {
    if (std::ranges::any_of(runs, [](const CellRun& run) { return !run.error.empty(); }))
      return ExitCode::kEnvironment;
  }
  return result.interrupted ? ExitCode::kUnknown : ExitCode::kAsExpected;
}

// Whether a cell has expectations. Without them, a valid run is as expected, so "as expected" is
// not printed.
bool Expects(const SuiteCell& cell) { return !cell.plan.expect.empty(); }

void PrintFinished(const SuiteCell& cell, int repetition, const CellRun& run, size_t done,
                   size_t of) {
  const std::string_view how = !Expects(cell)    ? ""
                               : run.as_expected ? "as expected"
                                                 : "NOT AS EXPECTED";
  fmt::print("{:>3} of {}  {:<28} #{:<3} {:<9} {:<16} {:5.1f} s  {}\n", done, of, cell.name,
             repetition, run.overall, how, run.seconds, run.error);
  constexpr size_t kFindingsShown = 3;
  const bool is_explained = Expects(cell) || run.overall == Name(Outcome::kUnknown);
  if (!run.as_expected && is_explained) {
    for (const std::string& finding : run.findings | std::views::take(kFindingsShown))
      fmt::print("           {}\n", finding);
  }
  for (const std::string& sentence : run.untested) fmt::print("           {}\n", sentence);
  std::fflush(stdout);
}

void ShowSuiteProgress(const SuiteRequest& request, const SuiteProgress& now) {
  ShowProgressLine(
      fmt::format("{} of {}{} runs; {} {}: {}", now.done, request.until ? "at most " : "", now.of,
                  request.until ? "at most" : "about", RoughTime(now.seconds_left) + " left",
                  fmt::join(now.running, ", ")));
}

// Whether no cell was left out or changed. Otherwise the link `latest` does not move.
bool IsWhole(const SuiteRequest& request) {
  return request.shard.IsWhole() && request.suite.only.empty() && request.suite.changed.empty();
}

struct RunCount {
  int64_t runs = 0;
  int64_t as_expected = 0;
};

RunCount CountRuns(const SuiteResult& result) {
  RunCount tally;
  for (const auto& runs : result.runs) {
    tally.runs += std::ssize(runs);
    tally.as_expected += std::ranges::count_if(runs, &CellRun::as_expected);
  }
  return tally;
}

void PrintAsked(const SuiteRequest& request) {
  if (request.suite.comparison) {
    fmt::print(
        "compares {} with {} in {}, for {}\n", Counted(std::ssize(request.suite.rows) - 1, "row"),
        request.suite.comparison->baseline, Counted(std::ssize(request.suite.columns), "column"),
        RoughTime(ToSeconds(request.suite.comparison->budget)));
    std::fflush(stdout);
    return;
  }
  fmt::print(
      "until {}: needs at least {} trials to show that the rate is below; at most {}\n",
      request.until->text, FewestForBelow(request.until->question),
      request.repeat == 1 ? "1 run of a cell" : fmt::format("{} runs of a cell", request.repeat));
  std::fflush(stdout);
}

// Returns the verdict line with --until. Only the answers count, not the number of violated runs.
std::string AnswersLine(const SuiteRequest& request, const SuiteResult& result) {
  const AnswerCount count = CountAnswers(result);
  const bool open = count.not_decided > 0 || result.not_begun > 0;
  const std::string_view verdict = count.not_below > 0 ? "not below"
                                   : open              ? "not decided"
                                                       : "below";
  return fmt::format("verdict: {} ({})\n", verdict, request.until->text);
}

void PrintEnd(const SuiteRequest& request, const SuiteResult& result, bool colored) {
  const RunCount tally = CountRuns(result);
  std::string end;
  if (result.kept > 0)
    end = fmt::format("; {} had been finished before",
                      Counted(static_cast<int64_t>(result.kept), "run"));
  end += FormatCut(request, result);
  if (!request.resume_words.empty() && result.IsCut())
    end += fmt::format("\nto continue: {} {}", request.resume_words, request.folder.string());
  const bool expects = std::ranges::any_of(request.suite.cells, Expects);
  const bool compares = request.suite.comparison.has_value();
  const std::string counted =
      request.until ? Counted(tally.runs, "run")
                    : fmt::format("{} of {} {}", tally.as_expected, Counted(tally.runs, "run"),
                                  expects ? "as expected" : "valid");
  const std::string& changed = request.suite.changed;
  fmt::print("{}{}{}{}{}{} in {:.1f} s{}\nfiles: {}\nnext: doublehold report {}\n",
             FormatOutcomes(request.suite, result, colored),
             compares ? FormatComparison(request, result) : FormatRates(request, result),
             request.until && !compares ? AnswersLine(request, result) : "",
             OwnCopyLines(request.suite),
             changed.empty() ? "" : fmt::format("changed: {}{}", changed, kSameExpectations),
             counted, result.seconds, end, request.folder.string(), request.folder.string());
}

void PrintEndAsJson(const SuiteRequest& request, const SuiteResult& result) {
  const RunCount tally = CountRuns(result);
  nlohmann::json json{{"folder", request.folder.string()},
                      {"runs", tally.runs},
                      {"as_expected", tally.as_expected},
                      {"interrupted", result.cut_short},
                      {"seconds", result.seconds}};
  if (request.until) {
    const AnswerCount count = CountAnswers(result);
    json["below"] = count.below;
    json["not_below"] = count.not_below;
    json["not_decided"] = count.not_decided;
  }
  fmt::print("{}\n", json.dump());
}

}  // namespace

ExitCode SuiteExitCode(const SuiteResult& result) {
  bool unknown = result.IsCut();
  bool environment = false;
  for (const auto& runs : result.runs) {
    for (const CellRun& run : runs) {
      if (run.exit_code == static_cast<int>(ExitCode::kViolated)) return ExitCode::kViolated;
      environment = environment || !run.error.empty();
      unknown = unknown || !run.as_expected;
    }
  }
  if (environment) return ExitCode::kEnvironment;
  return unknown ? ExitCode::kUnknown : ExitCode::kAsExpected;
}

void AddRepeatOptions(boost::program_options::options_description& options, int jobs) {
  namespace po = boost::program_options;
  options.add_options()("repeat", po::value<int>(),
                        "number of runs, in a suite of each cell (default 1); with --until, the "
                        "maximum (default 1000)");
  options.add_options()(
      "until", po::value<std::string>(),
      "repeat (in a suite: each cell) until the violation rate is known to be below a limit, or "
      "not to be: 'rate < 1e-4 @ 95%', 'rate of stock per run < 1%'");
  options.add_options()("jobs", po::value<int>()->default_value(jobs), "number of parallel runs");
  options.add_options()("history", po::value<std::string>()->default_value("both"),
                        "history files of a run: both, or binary, which leaves history.jsonl out "
                        "(doublehold export writes it)");
  options.add_options()("fail-fast", "start no more runs after the first that is not as expected");
  AddColorOption(options);
}

Result<HistoryFiles> ReadHistoryFiles(const ParsedLine& line) {
  if (!line.values.contains("history")) return HistoryFiles::kBoth;
  const auto word = line.values["history"].as<std::string>();
  if (word == "both") return HistoryFiles::kBoth;
  if (word == "binary") return HistoryFiles::kBinary;
  return BadInput("--history: " + UnknownWord("choice", word, {"both", "binary"}));
}

void AddJUnitOption(boost::program_options::options_description& options) {
  options.add_options()("junit", boost::program_options::value<std::string>(),
                        "also write the results as JUnit XML into this file");
}

Result<void> CheckJUnit(const ParsedLine& line) {
  if (!line.values.contains("junit")) return {};
  // Checked before the runs, so that a long suite does not fail at its end.
  const std::filesystem::path file = line.values["junit"].as<std::string>();
  std::error_code code;
  if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path(), code))
    return BadInput(fmt::format("--junit {}: no such folder", file.string()));
  return {};
}

void AddBaselineOption(boost::program_options::options_description& options) {
  options.add_options()("baseline", boost::program_options::value<std::string>(),
                        "folder of an earlier run of the suite; exit 1 only if a claim is worse or "
                        "newly violated");
}

Result<std::optional<MergedSuite>> ReadBaselineOption(const ParsedLine& line, const Suite& suite) {
  if (!line.values.contains("baseline")) return std::nullopt;
  return TRY(ReadBaseline(line.values["baseline"].as<std::string>(), suite));
}

Result<void> CheckCounts(const SuiteRequest& request) {
  if (request.repeat < 1 || request.repeat > kMostRepetitions)
    return BadInput("--repeat: must be from 1 to 100000");
  if (request.jobs < 1 || request.jobs > kMostRepeatJobs)
    return BadInput("--jobs: must be from 1 to 64");
  return {};
}

Result<SuiteRequest> ReadRepeat(const ParsedLine& line, const Suite& suite) {
  SuiteRequest request{
      .suite = suite, .jobs = line.values["jobs"].as<int>(), .programs = ReadProgramOptions(line)};
  request.history = TRY(ReadHistoryFiles(line));
  request.until = TRY(ReadUntilOption(line));
  request.fails_fast = line.values.contains("fail-fast");
  if (request.until) request.repeat = kRepetitionsUntilAnswered;
  if (line.values.contains("repeat")) request.repeat = line.values["repeat"].as<int>();
  TRY(CheckCounts(request));
  return request;
}

Result<void> PlanComparison(SuiteRequest& request) {
  if (!request.suite.comparison) return {};
  const ComparisonPlan& plan = *request.suite.comparison;
  if (!request.shard.IsWhole())
    return BadInput("--shard: a comparison is not split: its pairs of runs belong to one machine");
  if (request.until)
    return BadInput(
        "--until: cannot be combined with the table [compare]; set compare.rate in the suite");
  request.until = plan.question;
  if (request.repeat == 1) request.repeat = kRepetitionsUntilAnswered;
  Duration alone{}, together{};
  for (const SuiteCell& cell : request.suite.cells)
    (RunsAlone(cell) ? alone : together) += cell.plan.duration + kAroundARun;
  const Duration block = alone + together / request.jobs;
  if (block <= plan.budget) return {};
  return BadInput(fmt::format(
      "--budget {}: too short: one block of {} takes about {}", FormatDuration(plan.budget),
      Counted(std::ssize(request.suite.cells), "run"), RoughTime(ToSeconds(block))));
}

Result<void> CheckRepeat(const SuiteRequest& request) {
  if (request.until) {
    TRY(CheckJudged(*request.until, request.suite));
  }
  return CheckNeeds(request);
}

std::function<void(const SuiteProgress&)> ProgressInLines() {
  return [next = RealMono() + kBetweenLines](const SuiteProgress& now) mutable {
    if (RealMono() < next) return;
    next = RealMono() + kBetweenLines;
    fmt::print("{}, about {} left\n", Counted(static_cast<int64_t>(now.done), "run"),
               RoughTime(std::max(now.seconds_left, 0.0)));
    std::fflush(stdout);
  };
}

Result<ExitCode> RunAndPrint(SuiteRequest& request, const ParsedLine& line, SummaryForm summary) {
  if (request.resumes) {
    TRY(CheckResumable(request));
  } else if (!request.folder.empty()) {
    TRY(MakeEmptyFolder(request.folder));
  } else {
    request.folder = TRY(MakeRunFolder(line.values["out"].as<std::string>(), request.suite.name,
                                       request.suite.seed,
                                       IsWhole(request) ? LatestLink::kMove : LatestLink::kKeep));
  }
  TRY(LockSuiteFolder(request.folder));
  size_t done = 0, of = 0;
  for (size_t i = 0; i < request.suite.cells.size(); ++i) of += request.shard.Has(i) ? 1 : 0;
  of *= static_cast<size_t>(request.repeat);
  const bool terminal = summary != SummaryForm::kNothing && IsScreen(STDERR_FILENO);
  if (summary == SummaryForm::kLines) {
    request.finished = [&](const SuiteCell& cell, int repetition, const CellRun& run) {
      if (request.suite.comparison) return;  // hundreds of runs, shown together at the end
      if (terminal) EraseProgressLine();
      PrintFinished(cell, repetition, run, ++done, of);
    };
    if (request.until) PrintAsked(request);
  }
  if (terminal) {
    request.progress = [&](const SuiteProgress& now) { ShowSuiteProgress(request, now); };
  } else if (request.suite.comparison && summary == SummaryForm::kLines) {
    request.progress = ProgressInLines();
  }
  BlockEndSignals();  // until the result is printed; RunSuite takes the signals by sigtimedwait
  const SuiteResult result = RunSuite(request);
  if (terminal) EraseProgressLine();
  return PrintResult(request, result, line, summary);
}

Result<ExitCode> PrintResult(const SuiteRequest& request, const SuiteResult& result,
                             const ParsedLine& line, SummaryForm summary) {
  if (summary == SummaryForm::kJson) PrintEndAsJson(request, result);
  if (summary == SummaryForm::kLines) PrintEnd(request, result, TakesColor(line));
  if (line.values.contains("junit")) {
    TRY(WriteWhole(line.values["junit"].as<std::string>(), ToJUnit(request, result)));
  }
  if (result.error) return tl::unexpected(*result.error);
  if (request.baseline) {
    const BaselineComparison against = CompareWithBaseline(request, result, *request.baseline);
    if (summary == SummaryForm::kLines)
      fmt::print("{}", FormatBaseline(against, line.values["baseline"].as<std::string>()));
    return StatusAgainst(against, result);
  }
  if (request.suite.comparison) return StatusOfComparison(result);
  return request.until ? StatusOfAnswers(result) : SuiteExitCode(result);
}

}  // namespace doublehold
