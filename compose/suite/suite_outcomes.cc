// The outcomes of a suite as a table for a terminal.

#include <fmt/format.h>

#include <algorithm>

#include "checker/evidence/names.h"
#include "checker/report/claim_letters.h"
#include "compose/options/screen.h"
#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

struct OutcomeCell {
  std::string text;
  Color color = Color::kGreen;
};

// Combines all runs of a cell: lists the claims that any of them violated.
OutcomeCell CombineOutcomes(const SuiteCell& cell, const std::vector<CellRun>& runs,
                            std::string& letters_seen) {
  std::vector<std::string> violated;
  bool failed = false, unknown = false, as_expected = true;
  for (const CellRun& run : runs) {
    failed = failed || !run.error.empty();
    unknown = unknown || run.overall == "unknown";
    as_expected = as_expected && (run.as_expected || cell.plan.expect.empty());
    for (const auto& [claim, count] : run.trials.by_run) {
      if (claim != kAnyClaim && count.violated > 0 &&
          std::ranges::find(violated, claim) == violated.end())
        violated.push_back(claim);
    }
  }
  if (!violated.empty()) {
    const std::string letters = LettersOf(violated);
    letters_seen += letters;
    return {letters + (as_expected ? "" : " (!)"), Color::kRed};
  }
  if (failed) return {"error", Color::kYellow};
  if (unknown) return {"unknown", Color::kYellow};
  return {as_expected ? "ok" : "ok (!)", as_expected ? Color::kGreen : Color::kYellow};
}

}  // namespace

std::string FormatOutcomes(const Suite& suite, const SuiteResult& result, bool colored) {
  if (suite.cells.size() < 2) return "";
  constexpr size_t kNarrowest = 7;  // "unknown"
  std::string letters;
  std::map<std::pair<std::string, std::string>, OutcomeCell> cells;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    if (!result.runs[i].empty())
      cells[{suite.cells[i].row, suite.cells[i].column}] =
          CombineOutcomes(suite.cells[i], result.runs[i], letters);
  }
  if (cells.empty()) return "";
  // Only rows and columns of which a cell was run.
  std::vector<std::string> rows = suite.rows, columns = suite.columns;
  std::erase_if(rows, [&](const std::string& row) {
    return std::ranges::none_of(cells, [&](const auto& cell) { return cell.first.first == row; });
  });
  std::erase_if(columns, [&](const std::string& column) {
    return std::ranges::none_of(cells,
                                [&](const auto& cell) { return cell.first.second == column; });
  });
  size_t first = 0;
  for (const std::string& row : rows) first = std::max(first, row.size());
  std::string text = fmt::format("\n{:<{}}", "", first);
  for (const std::string& column : columns)
    text += fmt::format("  {:<{}}", column, std::max(kNarrowest, column.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  for (const std::string& row : rows) {
    text += fmt::format("\n{:<{}}", row, first);
    for (const std::string& column : columns) {
      const size_t width = std::max(kNarrowest, column.size());
      const auto cell = cells.find({row, column});
      const OutcomeCell shown = cell == cells.end() ? OutcomeCell{""} : cell->second;
      const std::string space(width - std::min(width, shown.text.size()), ' ');
      text += "  " + InColor(shown.text, shown.color, colored && !shown.text.empty()) + space;
    }
    text.erase(text.find_last_not_of(' ') + 1);
  }
  const bool odd = text.find("(!)") != std::string::npos;
  return text + '\n' + LegendOf(letters) + (odd ? "  (!)  not as expected\n" : "");
}

std::string FormatCut(const SuiteRequest& request, const SuiteResult& result) {
  std::string not_begun = fmt::format("{} not begun", result.not_begun);
  if (request.until) {
    int64_t cells = 0;
    for (size_t i = 0; i < result.runs.size(); ++i)
      cells += request.shard.Has(i) && result.runs[i].empty() ? 1 : 0;
    not_begun = fmt::format("{} without a run", Counted(cells, "cell"));
  }
  if (result.interrupted)
    return fmt::format("; interrupted: {} cut short, {}", result.cut_short, not_begun);
  if (result.not_begun == 0) return "";
  return fmt::format("; {}{}", result.failed_fast ? "--fail-fast: " : "", not_begun);
}

}  // namespace doublehold
