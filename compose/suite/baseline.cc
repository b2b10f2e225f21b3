#include "compose/suite/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace doublehold {
namespace {

constexpr double kErrorOfAllClaims = 0.05;

std::string_view Meaning(Change change) {
  switch (change) {
    case Change::kNewlyViolated:
      return "newly violated";
    case Change::kWorse:
      return "worse";
    case Change::kNewlyUndecided:
      return "newly undecided";
    case Change::kNotWorse:
      return "not worse";
    case Change::kCannotTell:
      break;
  }
  return "unknown";
}

bool IsWorse(const ChangedClaim& one) {
  return one.change == Change::kWorse || one.change == Change::kNewlyViolated;
}

bool IsNewlyUndecided(const ChangedClaim& one) { return one.change == Change::kNewlyUndecided; }

// Returns nothing if the baseline did not run the cell.
RunTrials TrialsOfBaseline(const MergedSuite& baseline, const std::string& cell) {
  const auto& cells = baseline.suite.cells;
  const auto found = std::ranges::find(cells, cell, &SuiteCell::name);
  if (found == cells.end()) return {};
  return PoolTrials(baseline.result.runs[static_cast<size_t>(found - cells.begin())]);
}

}  // namespace

Result<MergedSuite> ReadBaseline(const std::filesystem::path& folder, const Suite& suite) {
  Result<MergedSuite> read = ReadParts({folder});
  if (!read) return BadInput("--baseline " + read.error().message);
  const bool same = read->suite.name == suite.name && read->suite.plans == suite.plans;
  if (same) return read;
  return BadInput(fmt::format("--baseline {}: has other experiments; name a run of this suite file",
                              folder.string()));
}

BaselineComparison CompareWithBaseline(const SuiteRequest& request, const SuiteResult& result,
                                       const MergedSuite& baseline) {
  BaselineComparison comparison;
  std::vector<ChangedClaim> all;
  for (size_t i = 0; i < request.suite.cells.size(); ++i) {
    const SuiteCell& cell = request.suite.cells[i];
    if (!request.shard.Has(i)) continue;
    const RunTrials now = PoolTrials(result.runs[i]);
    const RunTrials before = TrialsOfBaseline(baseline, cell.name);
    std::set<std::string> claims(cell.plan.claims.begin(), cell.plan.claims.end());
    for (const auto& [claim, count] : before.by_trial)
      if (claim != kAnyClaim) claims.insert(claim);
    for (const std::string& claim : claims) {
      const auto counted = [&](const RunTrials& trials) {
        const auto found = trials.by_trial.find(claim);
        const bool same_unit = now.unit == before.unit;
        return found == trials.by_trial.end() || !same_unit ? TrialCount{} : found->second;
      };
      all.push_back({.cell = cell.name,
                     .claim = claim,
                     .now = counted(now),
                     .before = counted(before),
                     .unit = now.unit.empty() ? "run" : now.unit});
    }
  }
  comparison.compared = std::ssize(all);
  for (ChangedClaim& one : all) {
    one.change = ChangeOf(one.now, one.before, kErrorOfAllClaims / static_cast<double>(all.size()));
    if (one.change != Change::kNotWorse) comparison.changed.push_back(std::move(one));
  }
  const auto others = std::ranges::stable_partition(comparison.changed, IsWorse);
  std::ranges::stable_partition(others, IsNewlyUndecided);
  return comparison;
}

std::string FormatBaseline(const BaselineComparison& comparison,
                           const std::filesystem::path& folder) {
  const auto worse = std::ranges::count_if(comparison.changed, IsWorse);
  const auto undecided = std::ranges::count_if(comparison.changed, IsNewlyUndecided);
  std::string text = fmt::format(
      "against {}: {} of {} claims worse or newly violated, {} newly undecided, {} unknown (a "
      "higher "
      "rate: Fisher's exact test, at most 5 % error)\n",
      folder.string(), worse, comparison.compared, undecided,
      std::ssize(comparison.changed) - worse - undecided);
  for (const ChangedClaim& one : comparison.changed)
    text +=
        fmt::format("  {:<28} {:<18} {}: {}, before {}\n", one.cell, one.claim, Meaning(one.change),
                    CountText(one.now, one.unit), CountText(one.before, one.unit));
  return text;
}

ExitCode StatusAgainst(const BaselineComparison& comparison, const SuiteResult& result) {
  if (std::ranges::any_of(comparison.changed, IsWorse)) return ExitCode::kViolated;
  for (const auto& runs : result.runs) {
    const bool failed =
        std::ranges::any_of(runs, [](const CellRun& run) { return !run.error.empty(); });
    if (failed) return ExitCode::kEnvironment;
  }
  const bool open = result.IsCut() || !comparison.changed.empty();
  return open ? ExitCode::kUnknown : ExitCode::kAsExpected;
}

}  // namespace doublehold
