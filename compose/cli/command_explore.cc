#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "compose/explore/certificate.h"
#include "compose/explore/estimate.h"
#include "compose/explore/explore_all.h"
#include "compose/explore/explore_text.h"
#include "compose/explore/scenario_settings.h"
#include "compose/options/screen.h"
#include "compose/os/end_signals.h"
#include "compose/os/last_words.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "compose/suite/shard.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"
#include "lib/os/screen.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr int kMostDepth = 9;
constexpr int kMostExploreJobs = 256;
constexpr int64_t kBudget = 10'000'000;  // the default of --budget
constexpr int64_t kBytesPerMb = 1'000'000;
constexpr int64_t kMostMb = 1'000'000;
constexpr int kMostCycles = 100;
constexpr int kMatrixDepth = 2;
constexpr double kSaidEverySeconds = 0.2;
// Options of real runs, which `explore` refuses.
constexpr std::array kRealRunOptions{"driver", "option", "endpoint", "container", "server",
                                     "net",    "speed",  "duration", "nemesis",   "every"};

po::options_description ExploreOptions(po::options_description& hidden) {
  po::options_description options("options");
  AddExperimentOptions(options, hidden, {kRealRunOptions.begin(), kRealRunOptions.end()});
  auto add = options.add_options();
  add("faults", po::value<std::string>(),
      fmt::format("the faults, each with an optional maximum: pause:1,hold-request. Default: all "
                  "of {}, but "
                  "for duplicate-request and partition",
                  fmt::join(ListNames(kFaultForms), ", "))
          .c_str());
  add("depth", po::value<int>()->default_value(1), "maximum number of faults in one execution");
  add("delay-bound", po::value<int>()->default_value(0),
      "maximum number of events that are deferred behind the next one");
  add("cycles", po::value<int>()->default_value(1), "number of sections of each client");
  add("strategy", po::value<std::string>()->default_value("exhaustive"),
      "exhaustive: every execution within the bounds; random or pct: random executions, as many as "
      "--budget says, drawn from --seed");
  add("budget", po::value<int64_t>(),
      "maximum number of executions; 0: no limit. Default for exhaustive: 10000000");
  add("jobs", po::value<int>()->default_value(1),
      "number of threads; the result does not depend on it");
  add("memory-mb", po::value<int64_t>()->default_value(1024),
      "limit of memory for the frontier (executions still to be extended); claims are unknown "
      "when it is reached");
  add("no-reduction", "also go on from states that another execution has reached");
  add("check-determinism", "run each execution twice and compare the two");
  add("all",
      "explore each lock on Redis with each fault, up to --depth (default 2), with --clients "
      "(default 2 and 3)");
  add("into", po::value<std::string>(),
      "with --all: write the result into this new folder, for the report");
  add("certificate", po::value<std::string>(),
      "write what was explored into this new file, for --check");
  add("check", po::value<std::string>(),
      "run a part of the search again of which this file is the certificate, and compare");
  add("sample", po::value<int>()->default_value(4),
      "with --check: how many of the 64 blocks of the executions with the most faults are run");
  add("shard", po::value<std::string>(),
      "run one part of the executions with the most faults: 3/8 is the third of eight parts; "
      "auto/8: the batch system says which");
  add("json", "print the result as JSON");
  return options;
}

// Returns Bounds::sample.
Result<std::vector<bool>> ReadBlocks(const ParsedLine& line, const Bounds& bounds) {
  for (const char* other : {"all", "certificate"}) {
    if (line.values.contains(other))
      return BadInput(fmt::format("--shard: not with --{}, which is for whole searches", other));
  }
  if (bounds.strategy != StrategyKind::kExhaustive)
    return BadInput("--shard: only for --strategy exhaustive");
  const Shard shard = TRY(ReadShard(line.values["shard"].as<std::string>()));
  if (shard.of > static_cast<int>(kLevelBlocks))
    return BadInput(fmt::format("--shard: at most {} parts", kLevelBlocks));
  return BlocksOf(shard.number, shard.of);
}

Result<Bounds> ReadBounds(const ParsedLine& line, const Plan& plan) {
  const auto number = [&](const char* name) { return line.values[name].as<int>(); };
  Bounds bounds{.depth = number("depth"),
                .delays = number("delay-bound"),
                .executions = kBudget,
                .seed = plan.seed,
                .jobs = number("jobs"),
                .memory_bytes = line.values["memory-mb"].as<int64_t>(),
                .reduce = !line.values.contains("no-reduction"),
                .run_twice = line.values.contains("check-determinism")};
  const bool has_budget = line.values.contains("budget");
  if (has_budget) bounds.executions = line.values["budget"].as<int64_t>();
  if (bounds.depth < 0 || bounds.depth > kMostDepth)
    return BadInput(fmt::format("--depth: must be from 0 to {}", kMostDepth));
  if (bounds.delays < 0 || bounds.delays > kMostDepth)
    return BadInput(fmt::format("--delay-bound: must be from 0 to {}", kMostDepth));
  if (number("cycles") < 1 || number("cycles") > kMostCycles)
    return BadInput(fmt::format("--cycles: must be from 1 to {}", kMostCycles));
  if (bounds.executions < 0) return BadInput("--budget: must be 0 (no limit) or more");
  if (bounds.jobs < 1 || bounds.jobs > kMostExploreJobs)
    return BadInput(fmt::format("--jobs: must be from 1 to {}", kMostExploreJobs));
  if (bounds.memory_bytes < 1 || bounds.memory_bytes > kMostMb)
    return BadInput(fmt::format("--memory-mb: must be from 1 to {}", kMostMb));
  bounds.memory_bytes *= kBytesPerMb;
  const auto name = line.values["strategy"].as<std::string>();
  const auto entry = std::ranges::find(kStrategies, name, &StrategyEntry::name);
  if (entry == kStrategies.end())
    return BadInput("--strategy: " + UnknownWord("strategy", name, ListNames(kStrategies)));
  bounds.strategy = entry->strategy;
  if (bounds.strategy != StrategyKind::kExhaustive && (!has_budget || bounds.executions == 0))
    return BadInput(
        fmt::format("--strategy {}: needs a number of executions, such as --budget 100000", name));
  if (line.values.contains("shard")) bounds.sample = TRY(ReadBlocks(line, bounds));
  return bounds;
}

// Reads the whole command line.
Result<SearchAsked> ReadSearch(const ParsedLine& line) {
  for (const char* option : kRealRunOptions) {
    if (line.values.contains(option))
      return BadInput(
          fmt::format("--{}: only for runs on real servers; explore simulates", option));
  }
  Settings settings = TRY(ReadScenarioSettings(line));
  if (line.values.contains("all") && !settings.Has("lock.name"))
    settings.Set("lock.name", std::string(Locks().front().name), "explore --all");
  const Plan plan = TRY(SimulatedPlan(settings));
  Bounds bounds = TRY(ReadBounds(line, plan));
  ReplayString replay{.settings = settings,
                      .cycles = line.values["cycles"].as<int>(),
                      .faults = {},
                      .reorders = bounds.delays > 0};
  if (line.values.contains("faults")) {
    const FaultsAsked asked = TRY(ParseFaults(line.values["faults"].as<std::string>(), "--faults"));
    if (asked.faults.empty())
      return BadInput("--faults: is empty; use --depth 0 for an execution without faults");
    for (const FaultForm fault : asked.faults) {
      if (const std::string why = ExplainMissing(fault, plan); !why.empty())
        return BadInput(fmt::format("--faults: {}: {}", EntryOf(fault).name, why));
    }
    replay.faults = asked.faults;
    for (size_t i = 0; i < asked.faults.size(); ++i) {
      if (asked.most[i] > 0) bounds.most[asked.faults[i]] = asked.most[i];
    }
  } else {
    for (const FaultFormEntry& entry : kFaultForms) {
      if (!entry.runs_kind && ExplainMissing(entry.form, plan).empty())
        replay.faults.push_back(entry.form);
    }
  }
  return SearchAsked{.settings = settings, .scenario = ScenarioOf(plan, replay), .bounds = bounds};
}

AllAsked ReadAll(const ParsedLine& line, const SearchAsked& search) {
  AllAsked asked{
      .search = search, .clients = {2, 3}, .locks = {}, .as_json = line.values.contains("json")};
  if (line.values["depth"].defaulted()) asked.search.bounds.depth = kMatrixDepth;
  if (line.values.contains("clients")) asked.clients = {search.scenario.plan.clients};
  if (line.values.contains("into")) asked.into = line.values["into"].as<std::string>();
  for (const LockEntry& lock : Locks()) {
    // Locks of other services have many more executions; --lock names these locks.
    if (lock.service == kRedisService) asked.locks.emplace_back(lock.name);
  }
  if (line.values.contains("lock")) asked.locks = {search.scenario.plan.lock};
  return asked;
}

std::string FormatSearchOutcome(const SearchOutcome& outcome, const SearchAsked& asked,
                                bool as_json) {
  return as_json ? ToJson(outcome, asked).dump(2) + "\n" : ToText(outcome, asked);
}

// Sets the text that is printed if the search is interrupted now: the result so far.
void SetLastWords(LastWords& words, const Explored& explored, const SearchAsked& asked,
                  double seconds, bool as_json) {
  words.Set(FormatSearchOutcome(Unshrunk(explored, asked, seconds), asked, as_json),
            fmt::format("doublehold explore: interrupted after {} executions", explored.executions),
            SearchExitCode(explored, asked.bounds));
}

SearchOutcome RunSearch(const SearchAsked& asked, double estimate, bool as_json, LastWords& words) {
  const bool terminal = IsScreen(STDERR_FILENO);
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  SearchOutcome outcome;
  double said = -kSaidEverySeconds;  // so that the first call prints at once
  outcome.explored = Explore(asked.scenario, asked.bounds, [&](const Explored& so_far) {
    if (seconds() - said >= kSaidEverySeconds) {
      Explored cut = so_far;
      cut.ended = Ended::kInterrupted;
      cut.is_complete = false;
      SetLastWords(words, cut, asked, seconds(), as_json);
      said = seconds();
    }
    if (terminal) ShowProgressLine(ProgressText(so_far, asked.bounds, estimate, seconds()));
  });
  outcome.seconds = seconds();
  SetLastWords(words, outcome.explored, asked, outcome.seconds, as_json);
  const auto with_clients = [&](int clients) -> std::optional<Plan> {
    Settings fewer = asked.settings;
    fewer.Set("workload.clients", std::to_string(clients), "explore");
    const Result<Plan> plan = SimulatedPlan(fewer);
    return plan ? std::optional(*plan) : std::nullopt;
  };
  for (const Found& found : outcome.explored.claims) {
    if (terminal) ShowProgressLine("shrinking the violation of " + found.claim);
    outcome.shown.emplace_back();
    if (found.violated > 0) {
      outcome.shown.back() = Shrink(asked.scenario, found.shortest, found.claim, with_clients);
    } else if (found.unknown > 0) {
      outcome.shown.back() = Shrunk{.scenario = asked.scenario,
                                    .choices = found.shortest,
                                    .sentence = found.sentence,
                                    .is_smallest = false};
    }
  }
  if (terminal) EraseProgressLine();
  return outcome;
}

// Returns the new file for the certificate; empty if none is asked for.
Result<std::string> ReadCertificate(const ParsedLine& line, const Bounds& bounds) {
  if (!line.values.contains("certificate")) return std::string();
  const auto file = line.values["certificate"].as<std::string>();
  if (bounds.strategy != StrategyKind::kExhaustive || line.values.contains("all"))
    return BadInput("--certificate: only a complete search of one lock has one");
  std::error_code code;
  if (std::filesystem::exists(file, code))
    return BadInput(fmt::format("--certificate: {} exists", file));
  const std::filesystem::path folder = std::filesystem::absolute(file, code).parent_path();
  if (!std::filesystem::is_directory(folder, code))
    return BadInput(fmt::format("--certificate: there is no folder {}", folder.string()));
  return file;
}

Result<ExitCode> CheckAgain(const ParsedLine& line) {
  for (const auto& [name, value] : line.values) {
    if (!value.defaulted() && name != "check" && name != "sample" && name != "jobs")
      return BadInput(
          fmt::format("--check: takes no --{}; the certificate says what to run", name));
  }
  const int sampled = line.values["sample"].as<int>();
  if (sampled < 1 || sampled > static_cast<int>(kLevelBlocks))
    return BadInput(fmt::format("--sample: must be from 1 to {}", kLevelBlocks));
  const CertificateCheck check = TRY(CheckCertificate(line.values["check"].as<std::string>(),
                                                      sampled, line.values["jobs"].as<int>()));
  fmt::print("{}\n", check.text);
  return check.is_equal ? ExitCode::kAsExpected : ExitCode::kViolated;
}

}  // namespace

Result<ExitCode> ExploreCommand(const Words& words) {
  po::options_description hidden;
  const ParsedLine line =
      TRY(ParseLine(words, ExploreOptions(hidden),
                    "explore --lock LOCK [options]\n"
                    "Simulates every execution with up to --depth faults, and judges each.\n"
                    "Exit status: 0 all claims are clean, 1 violated, 2 unknown or not all "
                    "executions were run.",
                    hidden));
  if (line.help) return ExitCode::kAsExpected;
  if (line.values.contains("check")) return CheckAgain(line);
  if (!line.values["sample"].defaulted()) return BadInput("--sample: needs --check");
  const SearchAsked asked = TRY(ReadSearch(line));
  const std::string certificate = TRY(ReadCertificate(line, asked.bounds));
  if (line.values.contains("all")) return ExploreAll(ReadAll(line, asked));
  if (line.values.contains("into"))
    return BadInput("--into: needs --all; doublehold replay --into writes one execution");
  const bool as_json = line.values.contains("json");
  std::optional<LastWords> last_words(
      std::in_place, "doublehold explore: interrupted before an execution was judged");
  const double estimate = TRY(EstimateWithinBudget(asked.scenario, asked.bounds));
  const SearchOutcome outcome = RunSearch(asked, estimate, as_json, *last_words);
  BlockEndSignals();
  last_words.reset();
  fmt::print("{}", FormatSearchOutcome(outcome, asked, as_json));
  if (!certificate.empty() && !outcome.explored.is_complete)
    fmt::print(stderr, "doublehold explore: no certificate, because the search is not complete\n");
  if (!certificate.empty() && outcome.explored.is_complete)
    TRY(WriteWhole(certificate, CertificateOf(outcome.explored, asked)));
  return SearchExitCode(outcome.explored, asked.bounds);
}

}  // namespace doublehold
