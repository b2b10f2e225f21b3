#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compose/command_line.h"
#include "compose/namespaces.h"
#include "compose/run_once.h"
#include "compose/suite.h"
#include "compose/suite_tables.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr int kMostRepetitions = 100'000;
constexpr int kRepetitionsUntilAnswered = 1000;  // at most, where --repeat does not say
constexpr int kMostJobs = 64;

struct Shard {
  int number = 1, of = 1;
};

Result<Shard> ReadShard(const ParsedLine& line) {
  if (!line.values.contains("shard")) return Shard{};
  const auto text = line.values["shard"].as<std::string>();
  Shard shard;
  char slash = 0;
  std::istringstream in(text);
  std::string rest;
  if (!(in >> shard.number >> slash >> shard.of) || slash != '/' || (in >> rest)) {
    return BadInput(fmt::format("--shard {}: not of the form 3/8", text));
  }
  if (shard.of < 1) return BadInput(fmt::format("--shard {}: there is one part at least", text));
  if (shard.number < 1 || shard.number > shard.of) {
    return BadInput(
        fmt::format("--shard {}: there is no part {}, only 1..{}", text, shard.number, shard.of));
  }
  return shard;
}

Result<std::optional<Until>> ReadUntilOf(const ParsedLine& line) {
  if (!line.values.contains("until")) return std::nullopt;
  Result<Until> until = ReadUntil(line.values["until"].as<std::string>());
  if (!until) return tl::unexpected(until.error());
  return std::optional(std::move(*until));
}

// A cell that does not judge the claim would never answer.
Result<void> CheckJudged(const Until& until, const Suite& suite) {
  if (until.claim == kAnyClaim) return {};
  for (const SuiteCell& cell : suite.cells) {
    const std::vector<std::string>& judged = cell.plan.claims;
    if (std::ranges::find(judged, until.claim) != judged.end()) continue;
    return BadInput(
        fmt::format("--until '{}': cell {} does not judge {} (it judges {}); --only chooses cells",
                    until.text, cell.name, until.claim, fmt::join(judged, ", ")));
  }
  return {};
}

bool Selects(const std::string& only, const SuiteCell& cell) {
  if (only.ends_with('/')) return only == cell.row + "/";
  if (only.starts_with('/')) return only == "/" + cell.column;
  return only == cell.name;
}

// Leaves the cells that are asked for.
Result<void> Select(const std::vector<std::string>& wanted, Suite& suite) {
  std::vector<SuiteCell> selected;
  for (const std::string& only : wanted) {
    const size_t before = selected.size();
    for (const SuiteCell& cell : suite.cells) {
      if (!Selects(only, cell)) continue;
      const bool twice = std::ranges::find(selected, cell.name, &SuiteCell::name) != selected.end();
      if (!twice) selected.push_back(cell);
    }
    if (selected.size() > before) continue;
    std::vector<std::string> names;
    for (const SuiteCell& cell : suite.cells) names.push_back(cell.name);
    return BadInput("--only: " + UnknownWord("cell", only, names) +
                    "; 'ROW/' and '/COLUMN' choose all of a row or a column");
  }
  suite.cells = std::move(selected);
  return {};
}

// What the command line says of a suite in place of its file.
Result<void> Change(ParsedLine& line, Suite& suite) {
  if (line.values.contains("seed")) {
    const auto seed = line.values["seed"].as<int64_t>();
    if (seed < 0) return BadInput("--seed: from 0 on");
    suite.seed = static_cast<uint64_t>(seed);
    for (SuiteCell& cell : suite.cells) cell.plan.seed = suite.seed;
  }
  if (line.values.contains("junit")) {
    // Not found out at the end of a long suite.
    const std::filesystem::path file = line.values["junit"].as<std::string>();
    std::error_code code;
    if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path(), code))
      return BadInput(fmt::format("--junit {}: no such folder", file.string()));
  }
  if (!line.values.contains("only")) return {};
  return Select(line.values["only"].as<std::vector<std::string>>(), suite);
}

ExitCode StatusOf(const SuiteResult& result) {
  bool unknown = result.interrupted;
  bool environment = false;
  for (const auto& runs : result.runs) {
    for (const CellRun& run : runs) {
      if (run.exit_code == static_cast<int>(ExitCode::kViolated)) return ExitCode::kViolated;
      environment = environment || (!run.error.empty() && !run.interrupted);
      unknown = unknown || !run.as_expected;
    }
  }
  if (environment) return ExitCode::kEnvironment;
  return unknown ? ExitCode::kUnknown : ExitCode::kAsExpected;
}

// What was asked decides, and not whether each single run was as expected.
ExitCode StatusOfAnswers(const SuiteResult& result) {
  const AnswerCount count = CountAnswers(result);
  if (count.not_below > 0) return ExitCode::kViolated;
  if (count.not_decided == 0 && !result.interrupted) return ExitCode::kAsExpected;
  for (size_t i = 0; i < result.answers.size(); ++i) {
    const Repetitions& answer = result.answers[i];
    if (answer.IsOver() && answer.answer() == RateAnswer::kOpen) return ExitCode::kEnvironment;
  }
  return ExitCode::kUnknown;
}

void PrintFinished(const SuiteCell& cell, int repetition, const CellRun& run) {
  const std::string_view how = run.as_expected   ? "as expected"
                               : run.interrupted ? "interrupted"
                                                 : "NOT AS EXPECTED";
  fmt::print("{:<28} #{:<3} {:<9} {:<16} {:5.1f} s  {}\n", cell.name, repetition, run.overall, how,
             run.seconds, run.error);
  std::fflush(stdout);
}

struct RunCount {
  size_t runs = 0;
  size_t as_expected = 0;
  size_t interrupted = 0;
};

RunCount CountRuns(const SuiteResult& result) {
  RunCount tally;
  for (const auto& runs : result.runs) {
    tally.runs += runs.size();
    tally.as_expected += static_cast<size_t>(std::ranges::count_if(runs, &CellRun::as_expected));
    tally.interrupted += static_cast<size_t>(std::ranges::count_if(runs, &CellRun::interrupted));
  }
  return tally;
}

po::options_description SuiteOptions() {
  po::options_description options("options");
  options.add_options()("repeat", po::value<int>(),
                        "run every cell so often: 1; with --until at most so often: 1000");
  options.add_options()("until", po::value<std::string>(),
                        "run every cell until its rate of violations is known to be below a "
                        "limit, or not to be: 'rate < 1e-4 @ 95%', 'rate of stock per run < 1%'");
  options.add_options()("only", po::value<std::vector<std::string>>()->composing(),
                        "ROW/COLUMN, ROW/ or /COLUMN: these cells; may be given again");
  options.add_options()("jobs", po::value<int>()->default_value(2), "cells at once");
  options.add_options()("shard", po::value<std::string>(), "3/8: the third of eight parts");
  options.add_options()("seed", po::value<int64_t>(), "in place of the file's");
  options.add_options()("out", po::value<std::string>()->default_value("runs"),
                        "where run folders go");
  options.add_options()("junit", po::value<std::string>(), "also write the results as JUnit XML");
  options.add_options()("json", "print suite.json at the end");
  options.add_options()("matrix", "print what is expected as a table, run nothing");
  options.add_options()("cases", "the same, a line a column, for suites that are wide");
  options.add_options()("redis-server", po::value<std::string>()->default_value("redis-server"),
                        "the server program");
  return options;
}

void PrintAsked(const SuiteRequest& request) {
  fmt::print(
      "until {}: known to be below after {} trials at the earliest; at most {}\n",
      request.until->text, FewestForBelow(request.until->question),
      request.repeat == 1 ? "1 run of a cell" : fmt::format("{} runs of a cell", request.repeat));
  std::fflush(stdout);
}

void PrintEnd(const SuiteRequest& request, const SuiteResult& result) {
  const RunCount tally = CountRuns(result);
  const std::string cut =
      fmt::format("; interrupted: {} cut short, {} not begun", tally.interrupted, result.not_begun);
  fmt::print("{}{} of {} runs as expected in {:.1f} s{}\nfiles: {}\n", RatesOf(request, result),
             tally.as_expected, tally.runs, result.seconds, result.interrupted ? cut : "",
             request.folder.string());
}

void PrintEndAsJson(const SuiteRequest& request, const SuiteResult& result) {
  const RunCount tally = CountRuns(result);
  nlohmann::json json{{"folder", request.folder.string()},
                      {"runs", tally.runs},
                      {"as_expected", tally.as_expected},
                      {"interrupted", tally.interrupted},
                      {"seconds", result.seconds}};
  if (request.until) {
    const AnswerCount count = CountAnswers(result);
    json["below"] = count.below;
    json["not_below"] = count.not_below;
    json["not_decided"] = count.not_decided;
  }
  fmt::print("{}\n", json.dump());
}

// What is to be run, but for the folder; `suite` is read after it.
Result<SuiteRequest> ReadRequest(ParsedLine& line, const Suite& suite) {
  SuiteRequest request{.suite = suite,
                       .jobs = line.values["jobs"].as<int>(),
                       .redis_server = line.values["redis-server"].as<std::string>()};
  Result<std::optional<Until>> until = ReadUntilOf(line);
  if (!until) return tl::unexpected(until.error());
  request.until = std::move(*until);
  if (request.until) request.repeat = kRepetitionsUntilAnswered;
  if (line.values.contains("repeat")) request.repeat = line.values["repeat"].as<int>();
  if (request.repeat < 1 || request.repeat > kMostRepetitions)
    return BadInput("--repeat: from 1 to 100000");
  if (request.jobs < 1 || request.jobs > kMostJobs) return BadInput("--jobs: from 1 to 64");
  const Result<Shard> shard = ReadShard(line);
  if (!shard) return tl::unexpected(shard.error());
  request.shard = shard->number;
  request.shards = shard->of;
  return request;
}

// A missing server would fail every cell with the same line; so would a machine that lacks what
// cells need of it.
Result<void> CheckNeeds(const SuiteRequest& request) {
  if (auto server = FindServer(request.redis_server); !server)
    return tl::unexpected(server.error());
  const auto neediest =
      std::ranges::max_element(request.suite.cells, {}, [](const SuiteCell& cell) {
        return std::pair(cell.plan.net == kNamespaces, cell.plan.packet_delay);
      });
  return CheckMachine(neediest->plan);
}

Result<ExitCode> RunAndTell(SuiteRequest& request, ParsedLine& line) {
  const auto folder =
      MakeRunFolder(line.values["out"].as<std::string>(), request.suite.name, request.suite.seed);
  if (!folder) return tl::unexpected(folder.error());
  request.folder = *folder;
  const bool json = line.values.contains("json");
  if (!json) request.finished = PrintFinished;
  if (!json && request.until) PrintAsked(request);
  const Result<SuiteResult> result = RunSuite(request);
  if (!result) return tl::unexpected(result.error());
  if (line.values.contains("junit")) {
    if (auto ok = WriteWhole(line.values["junit"].as<std::string>(), JUnitOf(request, *result));
        !ok) {
      return tl::unexpected(ok.error());
    }
  }
  json ? PrintEndAsJson(request, *result) : PrintEnd(request, *result);
  return request.until ? StatusOfAnswers(*result) : StatusOf(*result);
}

}  // namespace

Result<ExitCode> SuiteCommand(const Words& words) {
  Result<ParsedLine> line = ParseLine(words, SuiteOptions(), "suite SUITE.toml [options]");
  if (!line) return tl::unexpected(line.error());
  if (line->help) return ExitCode::kAsExpected;
  if (line->rest.size() != 1)
    return BadInput("name one suite file, for example compose/suites/npc.toml");
  Suite suite;
  Result<SuiteRequest> request = ReadRequest(*line, suite);
  if (!request) return tl::unexpected(request.error());
  Result<Suite> read = ReadSuite(line->rest.front());
  if (!read) return tl::unexpected(read.error());
  suite = std::move(*read);
  if (line->values.contains("matrix")) {
    fmt::print("{}", MatrixOf(suite));
    return ExitCode::kAsExpected;
  }
  if (line->values.contains("cases")) {
    fmt::print("{}", CasesOf(suite));
    return ExitCode::kAsExpected;
  }
  if (auto ok = Change(*line, suite); !ok) return tl::unexpected(ok.error());
  if (request->until) {
    if (auto ok = CheckJudged(*request->until, suite); !ok) return tl::unexpected(ok.error());
  }
  if (Result<void> ok = CheckNeeds(*request); !ok) return tl::unexpected(ok.error());
  return RunAndTell(*request, *line);
}

}  // namespace doublehold
