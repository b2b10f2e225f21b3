#include <fmt/format.h>
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
  options.add_options()("repeat", po::value<int>()->default_value(1), "run every cell so often");
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

}  // namespace

Result<ExitCode> SuiteCommand(const Words& words) {
  Result<ParsedLine> line = ParseLine(words, SuiteOptions(), "suite SUITE.toml [options]");
  if (!line) return tl::unexpected(line.error());
  if (line->help) return ExitCode::kAsExpected;
  if (line->rest.size() != 1)
    return BadInput("name one suite file, for example compose/suites/npc.toml");
  const Result<Shard> shard = ReadShard(*line);
  if (!shard) return tl::unexpected(shard.error());
  Result<Suite> suite = ReadSuite(line->rest.front());
  if (!suite) return tl::unexpected(suite.error());
  if (line->values.contains("matrix")) {
    fmt::print("{}", MatrixOf(*suite));
    return ExitCode::kAsExpected;
  }
  if (line->values.contains("cases")) {
    fmt::print("{}", CasesOf(*suite));
    return ExitCode::kAsExpected;
  }
  if (auto ok = Change(*line, *suite); !ok) return tl::unexpected(ok.error());
  SuiteRequest request{.suite = *suite,
                       .repeat = line->values["repeat"].as<int>(),
                       .jobs = line->values["jobs"].as<int>(),
                       .redis_server = line->values["redis-server"].as<std::string>()};
  if (request.repeat < 1 || request.repeat > kMostRepetitions)
    return BadInput("--repeat: from 1 to 100000");
  if (request.jobs < 1 || request.jobs > kMostJobs) return BadInput("--jobs: from 1 to 64");
  request.shard = shard->number;
  request.shards = shard->of;
  // A missing server would fail every cell with the same line.
  if (auto server = FindServer(request.redis_server); !server)
    return tl::unexpected(server.error());
  // So would a machine that lacks what cells need of it.
  const auto neediest = std::ranges::max_element(suite->cells, {}, [](const SuiteCell& cell) {
    return std::pair(cell.plan.net == kNamespaces, cell.plan.packet_delay);
  });
  if (Result<void> ok = CheckMachine(neediest->plan); !ok) return tl::unexpected(ok.error());
  const auto folder =
      MakeRunFolder(line->values["out"].as<std::string>(), suite->name, suite->seed);
  if (!folder) return tl::unexpected(folder.error());
  request.folder = *folder;
  const bool json = line->values.contains("json");
  if (!json) request.finished = PrintFinished;
  const Result<SuiteResult> result = RunSuite(request);
  if (!result) return tl::unexpected(result.error());
  if (line->values.contains("junit")) {
    if (auto ok = WriteWhole(line->values["junit"].as<std::string>(), JUnitOf(*suite, *result));
        !ok) {
      return tl::unexpected(ok.error());
    }
  }
  const RunCount tally = CountRuns(*result);
  if (json) {
    fmt::print("{}\n", nlohmann::json{{"folder", folder->string()},
                                      {"runs", tally.runs},
                                      {"as_expected", tally.as_expected},
                                      {"interrupted", tally.interrupted},
                                      {"seconds", result->seconds}}
                           .dump());
  } else {
    const std::string cut = fmt::format("; interrupted: {} cut short, {} not begun",
                                        tally.interrupted, result->not_begun);
    fmt::print("{} of {} runs as expected in {:.1f} s{}\nfiles: {}\n", tally.as_expected,
               tally.runs, result->seconds, result->interrupted ? cut : "", folder->string());
  }
  return StatusOf(*result);
}

}  // namespace doublehold
