#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "checker/evidence/names.h"
#include "compose/cli/commands.h"
#include "compose/driver/bundled_drivers.h"
#include "compose/options/command_line.h"
#include "compose/options/program_options.h"
#include "compose/os/kept_programs.h"
#include "compose/os/last_words.h"
#include "compose/os/run_folder.h"
#include "compose/suite/bisect.h"
#include "compose/suite/repeat.h"
#include "compose/suite/selection.h"
#include "lib/base/wait_status.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr int kUsualRuns = 3;

struct VersionQuestion {
  SuiteCell cell;
  std::string driver;                 // without its version
  std::string claim;                  // whose violation is looked for
  std::vector<std::string> versions;  // oldest first
  size_t start = 0;                   // the version that the cell names
};

struct VersionAnswer {
  std::string version;
  Probe probe = Probe::kUnusable;
  int violated = 0, runs = 0;
  std::string why;  // if it is unusable
};

Result<std::string> ChooseClaim(const ParsedLine& line, const SuiteCell& cell) {
  const Plan& plan = cell.plan;
  if (line.values.contains("claim")) {
    const auto claim = line.values["claim"].as<std::string>();
    if (std::ranges::find(plan.claims, claim) == plan.claims.end())
      return BadInput("--claim: " + UnknownWord("claim of this cell", claim, plan.claims));
    return claim;
  }
  if (!cell.finding.empty()) return cell.finding;
  for (const auto& [claim, outcome] : plan.expect) {
    if (outcome == "violated") return claim;
  }
  return BadInput("--claim: the cell expects no violation; name the claim to look at");
}

Result<std::vector<std::string>> ListVersions(const std::string& driver) {
  std::istringstream lines(TRY(RunInDrivers("kept.py", {driver, "--versions"})));
  std::vector<std::string> versions;
  for (std::string version; lines >> version;) versions.push_back(std::move(version));
  return versions;
}

Result<VersionQuestion> ReadQuestion(const ParsedLine& line, Suite suite) {
  TRY(SelectCells({line.values["cell"].as<std::string>()}, "--cell", suite));
  if (suite.cells.size() != 1) return BadInput("--cell: name one cell, ROW/COLUMN");
  VersionQuestion question{.cell = std::move(suite.cells.front())};
  const std::optional<DriverPlan>& driver = question.cell.plan.driver;
  if (!driver) return BadInput("--cell: its lock is not a library's (setting lock.driver)");
  const std::string& command = driver->command;
  question.driver = command.substr(0, command.find('@'));
  if (std::ranges::find(KeptDrivers(), question.driver, &KeptDriver::name) == KeptDrivers().end())
    return BadInput("--cell: its driver is a command, which has no versions (list drivers)");
  question.claim = TRY(ChooseClaim(line, question.cell));
  question.versions = TRY(ListVersions(question.driver));
  std::string version = RequestedVersion(command);
  if (version.empty()) version = TRY(RunInDrivers("kept.py", {question.driver, "--pinned"}));
  const auto start = std::ranges::find(question.versions, version);
  if (start == question.versions.end())
    return BadInput(
        fmt::format("{} {} is not among the released versions", question.driver, version));
  question.start = static_cast<size_t>(start - question.versions.begin());
  return question;
}

// Returns the outcome of a claim in a run's folder: "valid", "violated" or "unknown".
std::string ReadOutcome(const std::filesystem::path& folder, const std::string& claim) {
  std::ifstream file(folder / "verdict.json");
  const auto verdict = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!verdict.is_object() || !verdict.contains("claims")) return "unknown";
  for (const nlohmann::json& judged : verdict["claims"]) {
    if (judged.value("claim", "") == claim) return judged.value("outcome", "unknown");
  }
  return "unknown";
}

// Runs the cell with one version of the library.
Result<VersionAnswer> AskVersion(const VersionQuestion& question, const std::string& version,
                                 const SuiteRequest& usual) {
  VersionAnswer answer{.version = version};
  Suite suite{.name = "bisect"};
  Settings settings = question.cell.settings;
  settings.Set("lock.driver", question.driver + "@" + version, "--cell");
  TRY(AddCellOf(std::move(settings), version, question.cell.column, "--cell", suite));
  FinishSuite(suite);
  TRY(QueryDrivers(suite));
  if (answer.why = suite.cells.front().unmet; !answer.why.empty()) return answer;
  SuiteRequest request{.suite = suite,
                       .folder = usual.folder / version,
                       .repeat = usual.repeat,
                       .jobs = usual.jobs,
                       .programs = usual.programs};
  std::error_code code;
  std::filesystem::create_directories(request.folder, code);
  const SuiteResult result = RunSuite(request);
  if (result.error) return tl::unexpected(*result.error);
  if (result.interrupted)
    return tl::unexpected(Error{
        ExitCode::kUnknown, "interrupted; the answers so far are in " + usual.folder.string(), {}});
  bool decided = true;
  for (const CellRun& run : result.runs.front()) {
    ++answer.runs;
    // A run that another claim decides says nothing of this one.
    const std::string outcome = ReadOutcome(request.folder / run.folder, question.claim);
    answer.violated += outcome == "violated" ? 1 : 0;
    decided = decided && outcome != "unknown";
    if (!run.error.empty()) answer.why = run.error;
  }
  if (answer.violated > 0) answer.probe = Probe::kSeen;
  if (answer.violated == 0 && decided) answer.probe = Probe::kNotSeen;
  if (answer.probe == Probe::kUnusable && answer.why.empty()) answer.why = "a run was undecided";
  return answer;
}

std::string Describe(const VersionAnswer& answer) {
  if (answer.probe == Probe::kUnusable) return "unusable: " + answer.why;
  return fmt::format("{}, {} of {}", answer.probe == Probe::kSeen ? "seen" : "not seen",
                     answer.violated, answer.runs);
}

std::string DescribeEnd(const VersionQuestion& question, const std::optional<Probe>& probe,
                        size_t end, int step) {
  if (!probe) return step < 0 ? "the oldest version" : "the newest version";
  return fmt::format("{} {}", question.versions[end + static_cast<size_t>(step)],
                     *probe == Probe::kNotSeen ? "does not show it" : "is unusable");
}

// Returns "4.2.0 does not show it"; null at the end of the versions.
nlohmann::json NameNeighbour(const VersionQuestion& question, const std::optional<Probe>& probe,
                             size_t end, int step) {
  return probe ? nlohmann::json(DescribeEnd(question, probe, end, step)) : nlohmann::json();
}

// The versions asked so far, in bisect.json and on the screen.
class AskedVersions {
 public:
  AskedVersions(const VersionQuestion& question, const std::filesystem::path& folder)
      : folder_(folder),
        json_{{"cell", question.cell.name},
              {"driver", question.driver},
              {"claim", question.claim},
              {"interrupted", true},
              {"asked", nlohmann::json::array()}} {}

  Result<void> Add(const VersionAnswer& answer) {
    fmt::print("  {:<16} {}\n", answer.version, Describe(answer));
    std::fflush(stdout);
    json_["asked"].push_back({{"version", answer.version},
                              {"violated", answer.violated},
                              {"runs", answer.runs},
                              {"unusable", answer.why}});
    TRY(Write());
    words_.Set("", fmt::format("doublehold bisect: interrupted after {}; files: {}",
                               Counted(std::ssize(json_["asked"]), "version"), folder_.string()));
    return {};
  }
  Result<void> Finish(const VersionQuestion& question, const SeenRange& range) {
    json_["interrupted"] = false;
    json_["first"] = question.versions[range.first];
    json_["last"] = question.versions[range.last];
    json_["before"] = NameNeighbour(question, range.before, range.first, -1);
    json_["after"] = NameNeighbour(question, range.after, range.last, 1);
    return Write();
  }

 private:
  [[nodiscard]] Result<void> Write() const {
    return WriteWhole(folder_ / "bisect.json", json_.dump(2) + "\n");
  }

  const std::filesystem::path& folder_;
  nlohmann::json json_;
  LastWords words_{"doublehold bisect: interrupted before a version was asked"};
};

Result<ExitCode> Bisect(const VersionQuestion& question, const SuiteRequest& request) {
  fmt::print("{}, claim {}: {} versions, {} to {}\n", question.cell.name, question.claim,
             question.versions.size(), question.versions.front(), question.versions.back());
  AskedVersions asked(question, request.folder);
  std::optional<Error> error;
  const auto ask = [&](size_t index) {
    if (error) return Probe::kUnusable;
    const Result<VersionAnswer> answer = AskVersion(question, question.versions[index], request);
    const Result<void> added = answer ? asked.Add(*answer) : tl::unexpected(answer.error());
    if (!added) error = added.error();
    return error ? Probe::kUnusable : answer->probe;
  };
  const Probe start = ask(question.start);
  if (!error && start != Probe::kSeen) {
    fmt::print("{} {} does not show it, so there is nothing to look for\n", question.driver,
               question.versions[question.start]);
    return start == Probe::kNotSeen ? ExitCode::kViolated : ExitCode::kUnknown;
  }
  const SeenRange range = FindSeenRange(question.versions.size(), question.start, ask);
  if (error) return tl::unexpected(*error);
  fmt::print("{} {}: seen from {} ({}) to {} ({})\n", question.driver, question.claim,
             question.versions[range.first], DescribeEnd(question, range.before, range.first, -1),
             question.versions[range.last], DescribeEnd(question, range.after, range.last, 1));
  TRY(asked.Finish(question, range));
  fmt::print("files: {}\n", request.folder.string());
  return ExitCode::kAsExpected;
}

}  // namespace

Result<ExitCode> BisectCommand(const Words& words) {
  po::options_description options("options");
  options.add_options()("cell", po::value<std::string>(), "the cell to run: ROW/COLUMN");
  options.add_options()(
      "claim", po::value<std::string>(),
      "the claim whose violation is looked for; default: the cell's `finding`, or "
      "the first that it expects to be violated");
  options.add_options()("repeat", po::value<int>()->default_value(kUsualRuns),
                        "number of runs of each version");
  options.add_options()("jobs", po::value<int>()->default_value(kSuiteJobs),
                        "number of parallel runs");
  options.add_options()("out", po::value<std::string>()->default_value("runs"),
                        "folder for run folders");
  AddProgramOptions(options);
  const ParsedLine line = TRY(ParseLine(
      words, options,
      "bisect SUITE.toml|NAME --cell ROW/COLUMN [options]\nRuns a cell with released versions of "
      "its library, and finds the first and the last that violate a claim."));
  if (line.help) return ExitCode::kAsExpected;
  if (line.rest.size() != 1) return BadInput("name one suite, for example findings");
  if (!line.values.contains("cell")) return BadInput("--cell: name the cell to run, ROW/COLUMN");
  const VersionQuestion question = TRY(ReadQuestion(line, TRY(ReadSuiteNamed(line.rest.front()))));
  const Suite none;
  SuiteRequest request{.suite = none,
                       .folder = {},
                       .repeat = line.values["repeat"].as<int>(),
                       .jobs = line.values["jobs"].as<int>(),
                       .programs = ReadProgramOptions(line)};
  TRY(CheckCounts(request));
  request.folder =
      TRY(MakeRunFolder(line.values["out"].as<std::string>(), "bisect", question.cell.plan.seed));
  return Bisect(question, request);
}

}  // namespace doublehold
