#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "compose/experiment_options.h"
#include "compose/explore.h"
#include "compose/replay_string.h"
#include "compose/scenario_settings.h"

namespace doublehold {
namespace {

namespace po = boost::program_options;

constexpr int kMostDepth = 9;
constexpr int kMostCycles = 100;

po::options_description ExploreOptions() {
  po::options_description options("options");
  AddExperimentOptions(options);
  auto add = options.add_options();
  add("faults", po::value<std::string>(),
      "which faults, with how many of each at most: pause:1,hold-request");
  add("depth", po::value<int>()->default_value(1), "faults in one execution, at most");
  add("delay-bound", po::value<int>()->default_value(0),
      "how often what is due waits for what comes next, at most");
  add("cycles", po::value<int>()->default_value(1), "sections of each client");
  add("budget", po::value<int64_t>()->default_value(0), "executions, at most; 0: all");
  add("json", "print the result as JSON");
  return options;
}

std::string RowOf(const Found& found, const Explored& explored) {
  if (found.violated > 0)
    return fmt::format("VIOLATED in {} of {}", found.violated, explored.executions);
  if (found.unknown > 0)
    return fmt::format("unknown in {} of {}, violated in none", found.unknown, explored.executions);
  if (!explored.is_complete) return "not violated, but the budget ended";
  return fmt::format("clean in all {}", explored.executions);
}

void Tell(const Explored& explored, const Scenario& scenario, const ReplayString& replay,
          double seconds) {
  for (const Found& found : explored.claims)
    fmt::print("  {:<16}{}\n", found.claim, RowOf(found, explored));
  for (const Found& found : explored.claims) {
    if (found.violated == 0) continue;
    ReplayString one = replay;
    one.choices = found.shortest;
    fmt::print("\n{}: {}\n  doublehold replay '{}'\n", found.claim, found.sentence, ToText(one));
  }
  fmt::print("\n{} executions of {} in {:.2f} s ({:.0f}/s){}{}\n", explored.executions,
             scenario.plan.lock, seconds, static_cast<double>(explored.executions) / seconds,
             explored.is_complete ? ", all within the bounds" : ", not all within the bounds",
             explored.cut_off > 0 ? fmt::format("; {} cut off", explored.cut_off) : "");
}

nlohmann::json ToJson(const Explored& explored, const ReplayString& replay, double seconds) {
  nlohmann::json claims = nlohmann::json::array();
  for (const Found& found : explored.claims) {
    claims.push_back(
        {{"claim", found.claim}, {"violated", found.violated}, {"unknown", found.unknown}});
    if (found.violated == 0) continue;
    ReplayString one = replay;
    one.choices = found.shortest;
    claims.back()["sentence"] = found.sentence;
    claims.back()["replay"] = ToText(one);
  }
  return {{"executions", explored.executions},
          {"complete", explored.is_complete},
          {"cut_off", explored.cut_off},
          {"seconds", seconds},
          {"claims", std::move(claims)}};
}

ExitCode StatusOf(const Explored& explored) {
  const bool violated =
      std::ranges::any_of(explored.claims, [](const Found& found) { return found.violated > 0; });
  if (violated) return ExitCode::kViolated;
  const bool unknown =
      std::ranges::any_of(explored.claims, [](const Found& found) { return found.unknown > 0; });
  return explored.is_complete && explored.cut_off == 0 && !unknown ? ExitCode::kAsExpected
                                                                   : ExitCode::kUnknown;
}

}  // namespace

Result<ExitCode> ExploreCommand(const Words& words) {
  Result<ParsedLine> line = ParseLine(words, ExploreOptions(), "explore --lock LOCK [options]");
  if (!line) return tl::unexpected(line.error());
  if (line->help) return ExitCode::kAsExpected;
  Result<Settings> settings = ReadScenarioSettings(*line);
  if (!settings) return tl::unexpected(settings.error());
  const Result<Plan> plan = SimulatedPlan(*settings);
  if (!plan) return tl::unexpected(plan.error());
  Bounds bounds{.depth = line->values["depth"].as<int>(),
                .delays = line->values["delay-bound"].as<int>(),
                .executions = line->values["budget"].as<int64_t>()};
  const int cycles = line->values["cycles"].as<int>();
  if (bounds.depth < 0 || bounds.depth > kMostDepth)
    return BadInput(fmt::format("--depth: 0 to {}", kMostDepth));
  if (bounds.delays < 0 || bounds.delays > kMostDepth)
    return BadInput(fmt::format("--delay-bound: 0 to {}", kMostDepth));
  if (cycles < 1 || cycles > kMostCycles)
    return BadInput(fmt::format("--cycles: 1 to {}", kMostCycles));
  if (bounds.executions < 0) return BadInput("--budget: 0, for all, or more");
  ReplayString replay{
      .settings = *settings, .cycles = cycles, .faults = {}, .reorders = bounds.delays > 0};
  if (line->values.contains("faults")) {
    const Result<FaultsAsked> asked =
        ParseFaults(line->values["faults"].as<std::string>(), "--faults");
    if (!asked) return tl::unexpected(asked.error());
    replay.faults = asked->faults;
    for (size_t i = 0; i < asked->faults.size(); ++i) {
      if (asked->most[i] > 0) bounds.most[asked->faults[i]] = asked->most[i];
    }
  } else {
    for (const sim::SimFaultEntry& entry : sim::kSimFaultEntries)
      replay.faults.push_back(entry.fault);
  }
  const Scenario scenario = ScenarioOf(*plan, replay);
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto begun = std::chrono::steady_clock::now();
  const Explored explored = Explore(scenario, bounds, [&](const Explored& so_far) {
    if (terminal) fmt::print(stderr, "\r{} executions\x1b[K", so_far.executions);
  });
  if (terminal) fmt::print(stderr, "\r\x1b[K");
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  if (line->values.contains("json")) {
    fmt::print("{}\n", ToJson(explored, replay, seconds).dump(2));
  } else {
    Tell(explored, scenario, replay, seconds);
  }
  return StatusOf(explored);
}

}  // namespace doublehold
