#include "compose/suite/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checker/evidence/names.h"
#include "compose/suite/comparison.h"
#include "compose/suite/load.h"

namespace doublehold {
namespace {

// Returns the reason of the first run that could not decide the claim: " (...)", or an empty text.
std::string ReasonOf(const std::vector<CellRun>& runs, const std::string& claim) {
  const std::string begin = claim + " is unknown: ";
  for (const CellRun& run : runs) {
    if (!run.error.empty()) return fmt::format(" ({})", run.error);
    for (const std::string& finding : run.findings)
      if (finding.starts_with(begin)) return fmt::format(" ({})", finding.substr(begin.size()));
  }
  return "";
}

// Returns why the cell is not judged; empty if it is.
std::string WhyNotJudged(const Suite& suite, const SuiteCell& cell,
                         const std::vector<CellRun>& runs) {
  if (runs.empty()) return "no run has ended";
  const int64_t fewest = MeasuresLoad(suite, cell) ? 1 : kFewestToJudge;
  for (const std::string& claim : cell.plan.claims) {
    int64_t decided = 0;
    bool violated = false;
    for (const CellRun& run : runs) {
      const Outcome outcome = OutcomeIn(run, claim).value_or(Outcome::kUnknown);
      decided += outcome == Outcome::kUnknown ? 0 : 1;
      violated = violated || outcome == Outcome::kViolated;
    }
    const int64_t undecided = std::ssize(runs) - decided;
    if (violated || (decided >= fewest && decided > undecided)) continue;
    if (undecided > 0 && decided < fewest)
      return fmt::format("{} is decided in {} of {}, and a rank needs {}{}", claim, decided,
                         Counted(std::ssize(runs), "run"), fewest, ReasonOf(runs, claim));
    if (undecided > 0)
      return fmt::format("{} is undecided in {} of {}{}", claim, undecided,
                         Counted(std::ssize(runs), "run"), ReasonOf(runs, claim));
    return fmt::format("{} of the {} runs that a rank needs", decided, fewest);
  }
  return "";
}

// The runs with an outcome of at least one claim.
RunsByBlock DecidedBlocks(const SuiteCell& cell, const std::vector<CellRun>& runs) {
  RunsByBlock decided = BlocksOf(cell, runs);
  std::erase_if(decided, [](const auto& one) {
    return std::ranges::all_of(one.second->trials.by_run, [](const auto& claim) {
      return claim.first == kAnyClaim || claim.second.undecided == claim.second.of;
    });
  });
  return decided;
}

// The blocks that the cells of all ranked rows have in a column.
std::set<int> CommonBlocks(const Suite& suite, const SuiteResult& result, const std::string& column,
                           const std::set<std::string>& ranked) {
  std::optional<std::set<int>> common;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    if (suite.cells[i].column != column || !ranked.contains(suite.cells[i].row)) continue;
    std::set<int> blocks;
    for (const auto& [block, run] : DecidedBlocks(suite.cells[i], result.runs[i]))
      if (!common || common->contains(block)) blocks.insert(block);
    common = std::move(blocks);
  }
  return common.value_or(std::set<int>{});
}

// The numbers of violated claims, each counted once a column.
struct Weight {
  int data = 0, vital = 0, all = 0;

  void Add(const CheckerEntry& claim) {
    data += claim.about == About::kData ? 1 : 0;
    vital += claim.letter.vital > 0 ? 1 : 0;
    ++all;
  }
  auto operator<=>(const Weight&) const = default;
};

// Returns a row with the claims that it broke, and the cells that are not judged.
RankedRow ReadRow(const Suite& suite, const SuiteResult& result, const std::string& name) {
  RankedRow row{.row = name, .rank = std::nullopt};
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    const SuiteCell& cell = suite.cells[i];
    if (cell.row != name) continue;
    row.runs += std::ssize(result.runs[i]);
    if (std::string why = WhyNotJudged(suite, cell, result.runs[i]); !why.empty())
      row.not_judged.push_back({.column = cell.column, .why = std::move(why)});
    for (const CellRun& run : result.runs[i]) {
      for (const auto& [claim, trials] : run.trials.by_run) {
        if (claim == kAnyClaim || trials.violated == 0) continue;
        std::vector<std::string>& columns = row.broken[claim];
        if (columns.empty() || columns.back() != cell.column) columns.push_back(cell.column);
      }
    }
  }
  return row;
}

Weight WeightOf(const Suite& suite, const SuiteResult& result, const std::string& row,
                const std::set<std::string>& ranked) {
  Weight weight;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    const SuiteCell& cell = suite.cells[i];
    if (cell.row != row) continue;
    const std::set<int> common = CommonBlocks(suite, result, cell.column, ranked);
    std::set<std::string> broken;
    for (const auto& [block, run] : BlocksOf(cell, result.runs[i])) {
      if (!common.contains(block)) continue;
      for (const auto& [claim, trials] : run->trials.by_run)
        if (claim != kAnyClaim && trials.violated > 0) broken.insert(claim);
    }
    for (const std::string& claim : broken) weight.Add(*FindChecker(claim));
  }
  return weight;
}

}  // namespace

std::vector<RankedRow> RankRows(const Suite& suite, const SuiteResult& result) {
  std::vector<RankedRow> rows;
  std::set<std::string> ranked;
  for (const std::string& name : suite.rows) {
    rows.push_back(ReadRow(suite, result, name));
    if (rows.back().not_judged.empty()) ranked.insert(name);
  }
  std::map<std::string, Weight> weights;
  for (const std::string& name : ranked)
    weights.emplace(name, WeightOf(suite, result, name, ranked));
  std::ranges::stable_sort(rows, {}, [&](const RankedRow& row) {
    const auto weight = weights.find(row.row);
    return std::pair(weight == weights.end(), weight == weights.end() ? Weight{} : weight->second);
  });
  for (size_t i = 0; i < ranked.size(); ++i) {
    const bool tied = i > 0 && weights.at(rows[i].row) == weights.at(rows[i - 1].row);
    rows[i].rank = tied ? rows[i - 1].rank : std::optional(static_cast<int>(i) + 1);
  }
  return rows;
}

}  // namespace doublehold
