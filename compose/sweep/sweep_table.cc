#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "compose/sweep/sweep.h"

namespace doublehold {
namespace {

std::string TrimmedLine(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string FormatSweepTable(const SweepCells& cells, const std::vector<SweepOutcome>& outcomes) {
  std::vector<std::string> rows, columns;
  std::map<std::pair<std::string, std::string>, std::string> letters;
  for (size_t i = 0; i < cells.singles; ++i) {
    const auto& [row, column] = std::tie(cells.suite.cells[i].row, cells.suite.cells[i].column);
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    letters[{row, column}] = outcomes[i].letters;
  }
  constexpr std::string_view kHead = "place";
  size_t first = kHead.size();
  for (const std::string& row : rows) first = std::max(first, row.size());
  std::string line = fmt::format("{:<{}}", kHead, first);
  for (const std::string& column : columns) line += "  " + column;
  std::string text = TrimmedLine(std::move(line));
  for (const std::string& row : rows) {
    line = fmt::format("{:<{}}", row, first);
    for (const std::string& column : columns)
      line += fmt::format("  {:<{}}", letters[{row, column}], column.size());
    text += TrimmedLine(std::move(line));
  }
  return text;
}

bool IsNew(const SweepCells& cells, size_t cell, const std::vector<SweepOutcome>& outcomes) {
  if (cell < cells.singles) return false;
  const auto [first, second] = cells.pairs[cell - cells.singles];
  return std::ranges::any_of(outcomes[cell].violated, [&](const std::string& claim) {
    return std::ranges::none_of(std::array{first, second}, [&](size_t alone) {
      const std::vector<std::string>& violated = outcomes[alone].violated;
      return std::ranges::find(violated, claim) != violated.end();
    });
  });
}

nlohmann::json ToJson(const Suite& suite, const SweepOutcome& outcome, size_t cell) {
  return {{"name", suite.cells[cell].name},    {"place", suite.cells[cell].row},
          {"fault", suite.cells[cell].column}, {"letters", outcome.letters},
          {"violated", outcome.violated},      {"unheld_ns", outcome.unheld_ns},
          {"sentence", outcome.sentence}};
}

}  // namespace doublehold
