#include "compose/suite/suite_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compose/driver/lock_name.h"

namespace doublehold {
namespace {

constexpr std::string_view kNothing = "ok";

// Returns the claims of a cell whose expected outcome is `outcome`.
std::string Expecting(const SuiteCell& cell, std::string_view outcome) {
  std::string claims;
  for (const std::string& claim : cell.plan.claims) {
    const auto expected = cell.plan.expect.find(claim);
    if (expected == cell.plan.expect.end() || expected->second != outcome) continue;
    claims += (claims.empty() ? "" : ", ") + claim;
  }
  return claims;
}

// Returns the expectation of a cell in a matrix: "**exclusion, stock**, perhaps liveness".
std::string FormatExpectation(const SuiteCell& cell) {
  const std::string violated = Expecting(cell, "violated");
  const std::string any = Expecting(cell, "any");
  std::string text = violated.empty() ? "" : "**" + violated + "**";
  if (!any.empty()) text += (text.empty() ? "perhaps " : ", perhaps ") + any;
  return text.empty() ? std::string(kNothing) : text;
}

// Returns the names of rows or columns that have cells. A part of a suite may have no cells for
// some names.
std::vector<std::string> WithCells(const Suite& suite, std::vector<std::string> names,
                                   std::string SuiteCell::*of) {
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(suite.cells, name, of) == suite.cells.end();
  });
  return names;
}

// For example "`redisson`, `redlock`".
std::string QuotedRows(const std::vector<std::string>& rows) {
  return rows.empty() ? "" : fmt::format("`{}`", fmt::join(rows, "`, `"));
}

}  // namespace

std::string FormatMatrix(const Suite& suite) {
  const std::vector<std::string> rows = WithCells(suite, suite.rows, &SuiteCell::row);
  const std::vector<std::string> columns = WithCells(suite, suite.columns, &SuiteCell::column);
  std::string text = "| lock |";
  std::string line = "|---|";
  for (const std::string& column : columns) {
    text += fmt::format(" {} |", column);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const std::string& row : rows) {
    text += fmt::format("| `{}` |", row);
    for (const std::string& column : columns) {
      const auto found = std::ranges::find_if(suite.cells, [&](const SuiteCell& cell) {
        return cell.row == row && cell.column == column;
      });
      text += fmt::format(" {} |", found == suite.cells.end() ? "" : FormatExpectation(*found));
    }
    text += "\n";
  }
  return text;
}

std::string FormatCases(const Suite& suite) {
  std::string text = "| case | what happens | what breaks | what does not |\n|---|---|---|---|\n";
  for (const std::string& column : WithCells(suite, suite.columns, &SuiteCell::column)) {
    // Rows grouped by their expectation.
    std::vector<std::pair<std::string, std::vector<std::string>>> broken;
    std::vector<std::string> kept;
    for (const SuiteCell& cell : suite.cells) {
      if (cell.column != column) continue;
      const std::string expectation = FormatExpectation(cell);
      if (expectation == kNothing) {
        kept.push_back(cell.row);
        continue;
      }
      auto same = std::ranges::find(broken, expectation, [](const auto& one) { return one.first; });
      if (same == broken.end()) same = broken.insert(broken.end(), {expectation, {}});
      same->second.push_back(cell.row);
    }
    std::string breaks;
    for (const auto& [expectation, rows] : broken)
      breaks += fmt::format("{}{}: {}", breaks.empty() ? "" : "; ", QuotedRows(rows), expectation);
    const auto about = suite.about.find(column);
    text += fmt::format("| {} | {} | {} | {} |\n", column,
                        about == suite.about.end() ? "" : about->second, breaks, QuotedRows(kept));
  }
  return text;
}

std::string OwnCopyLines(const Suite& suite) {
  std::set<std::string> lines;
  for (const SuiteCell& cell : suite.cells) lines.insert(OwnCopyLine(cell.plan.lock));
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace doublehold
