#include "compose/explore/explore_all.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "checker/evidence/names.h"
#include "checker/verdict/checker.h"
#include "compose/explore/explore_matrix.h"
#include "compose/explore/scenario_settings.h"
#include "compose/options/screen.h"
#include "compose/os/end_signals.h"
#include "compose/os/last_words.h"
#include "compose/os/run_folder.h"
#include "lib/locks/registry.h"
#include "lib/os/screen.h"

namespace doublehold {
namespace {

constexpr int kExploreVersion = 1;
constexpr double kKeptEverySeconds = 0.5;  // keeping the cells takes up to some milliseconds
// The default number of nodes of a lock on several nodes. Three is the smallest number of which a
// majority is not all nodes.
constexpr int kNodes = 3;

Settings SettingsForLock(const AllAsked& asked, const std::string& lock, int clients) {
  Settings settings = asked.search.settings;
  settings.Set("lock.name", lock, "explore --all");
  ChooseByLock(settings);
  settings.Set("workload.clients", std::to_string(clients), "explore --all");
  const LockEntry* entry = FindLock(lock);
  if (entry != nullptr && entry->most_nodes >= kNodes && !settings.Has("topology.nodes"))
    settings.Set("topology.nodes", std::to_string(kNodes), "explore --all");
  return settings;
}

Result<MatrixFound> Run(const AllAsked& asked, const MatrixSearch& search) {
  const Settings settings = SettingsForLock(asked, search.lock, search.clients);
  const Plan plan = TRY(SimulatedPlan(settings));
  Scenario scenario = ScenarioOf(plan, asked.search.scenario.cycles, search.faults);
  scenario.terms.window = asked.search.scenario.terms.window;
  Bounds bounds = asked.search.bounds;
  bounds.depth = search.depth;
  MatrixFound found{.explored = Explore(scenario, bounds, [](const Explored&) {})};
  for (const Found& claim : found.explored.claims) {
    found.replays.push_back(
        claim.violated == 0 ? "" : ToText(MakeReplayString(settings, scenario, claim.shortest)));
  }
  return found;
}

nlohmann::json MatrixToJson(const AllAsked& asked, const std::vector<MatrixRow>& rows,
                            double seconds) {
  int64_t executions = 0;
  for (const MatrixRow& row : rows) {
    for (const MatrixCell& cell : row.cells) {
      for (const MatrixDepth& depth : cell.depths) executions += depth.found.explored.executions;
    }
  }
  nlohmann::json titles = nlohmann::json::object();
  for (const CheckerEntry& checker : Checkers()) titles[std::string(checker.claim)] = checker.title;
  return {{"version", kExploreVersion},
          {"doublehold", DOUBLEHOLD_VERSION},
          {"depth", asked.search.bounds.depth},
          {"delays", asked.search.bounds.delays},
          {"cycles", asked.search.scenario.cycles},
          {"executions", executions},
          {"interrupted", false},
          {"seconds", seconds},
          {"titles", std::move(titles)},
          {"rows", ToJson(rows)}};
}

// For example "lock 3 of 21: redlock, 2 clients, pause, depth 2; 12 s, about 72 s left". The
// estimate assumes that all locks take the same time.
std::string ProgressOfAll(const AllAsked& asked, const MatrixSearch& search, double seconds) {
  const auto before = std::ranges::find(asked.locks, search.lock) - asked.locks.begin();
  const std::ptrdiff_t left = std::ssize(asked.locks) - before;
  return fmt::format(
      "lock {} of {}: {}, {} clients, {}, depth {}; {:.0f} s{}", before + 1, asked.locks.size(),
      search.lock, search.clients,
      search.faults.empty()       ? "none"
      : search.faults.size() == 1 ? EntryOf(search.faults.front()).name
                                  : "any",
      search.depth, seconds,
      before == 0 ? ""
                  : fmt::format(", about {:.0f} s left",
                                seconds / static_cast<double>(before) * static_cast<double>(left)));
}

Result<void> WriteInto(const std::filesystem::path& folder, const nlohmann::json& json,
                       const std::string& markdown) {
  TRY(WriteWhole(folder / "explore.json", json.dump(2) + "\n"));
  return WriteWhole(folder / "matrix.md", markdown);
}

// Keeps the cells so far: prints them if the exploration is interrupted now, and writes them into
// the folder, in case that it is killed.
void KeepCells(LastWords& words, const AllAsked& asked, const std::vector<MatrixRow>& rows,
               double seconds) {
  const EndSignalsBlocked until_both_say_the_same;
  nlohmann::json json = MatrixToJson(asked, rows, seconds);
  json["interrupted"] = true;
  const std::string markdown = ToMarkdown(rows);
  const bool written = asked.into && WriteInto(*asked.into, json, markdown);
  int64_t cells = 0;
  for (const MatrixRow& row : rows) cells += std::ssize(row.cells);
  words.Set(asked.as_json ? json.dump(2) + "\n" : markdown,
            fmt::format("doublehold explore: interrupted after {}{}", Counted(cells, "cell"),
                        written ? "; files: " + asked.into->string() : ""));
}

ExitCode MatrixExitCode(const std::vector<MatrixRow>& rows) {
  for (const MatrixRow& row : rows) {
    for (const MatrixCell& cell : row.cells) {
      for (const MatrixDepth& depth : cell.depths) {
        if (!depth.found.explored.is_complete) return ExitCode::kUnknown;
      }
      if (FormatCell(cell).find('?') != std::string::npos) return ExitCode::kUnknown;
    }
  }
  return ExitCode::kAsExpected;
}

}  // namespace

Result<ExitCode> ExploreAll(const AllAsked& asked) {
  if (asked.into) TRY(MakeEmptyFolder(*asked.into));
  const bool terminal = IsScreen(STDERR_FILENO);
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [begun] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  std::optional<LastWords> words(std::in_place,
                                 "doublehold explore: interrupted before a cell was explored");
  const MatrixTerms terms{.locks = asked.locks,
                          .clients = asked.clients,
                          .faults = asked.search.scenario.terms.faults,
                          .depth = asked.search.bounds.depth};
  double kept = -kKeptEverySeconds;
  const std::vector<MatrixRow> rows = ExploreMatrix(
      terms, [&](const MatrixSearch& search) { return Run(asked, search); },
      [&](const MatrixSearch& search) {
        if (terminal) ShowProgressLine(ProgressOfAll(asked, search, seconds()));
      },
      [&](const std::vector<MatrixRow>& so_far) {
        if (seconds() < kept + kKeptEverySeconds) return;
        KeepCells(*words, asked, so_far, seconds());
        kept = seconds();
      });
  if (terminal) EraseProgressLine();
  BlockEndSignals();
  words.reset();
  const double took = seconds();
  const nlohmann::json json = MatrixToJson(asked, rows, took);
  const std::string markdown = ToMarkdown(rows);
  if (asked.as_json) {
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}\n{} executions in {:.1f} s\n", markdown, json["executions"].get<int64_t>(),
               took);
  }
  if (asked.into) {
    TRY(WriteInto(*asked.into, json, markdown));
    if (!asked.as_json)
      fmt::print("files: {}\nnext: doublehold report {}\n", asked.into->string(),
                 asked.into->string());
  }
  return MatrixExitCode(rows);
}

}  // namespace doublehold
