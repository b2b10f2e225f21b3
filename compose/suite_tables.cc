#include "compose/suite_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace doublehold {
namespace {

constexpr std::string_view kNothing = "ok";

// "broken: exclusion, stock" for a reader of a matrix.
std::string ExpectationOf(const SuiteCell& cell) {
  std::string violated;
  for (const std::string& claim : cell.plan.claims) {
    const auto expected = cell.plan.expect.find(claim);
    if (expected == cell.plan.expect.end() || expected->second != "violated") continue;
    violated += (violated.empty() ? "" : ", ") + claim;
  }
  return violated.empty() ? std::string(kNothing) : "**" + violated + "**";
}

// "`redisson`, `redlock`"
std::string Quoted(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", row);
  return text;
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

}  // namespace

std::string MatrixOf(const Suite& suite) {
  std::string text = "| lock |";
  std::string line = "|---|";
  for (const std::string& column : suite.columns) {
    text += fmt::format(" {} |", column);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const std::string& row : suite.rows) {
    text += fmt::format("| `{}` |", row);
    for (const std::string& column : suite.columns) {
      const auto found = std::ranges::find_if(suite.cells, [&](const SuiteCell& cell) {
        return cell.row == row && cell.column == column;
      });
      text += fmt::format(" {} |", found == suite.cells.end() ? "" : ExpectationOf(*found));
    }
    text += "\n";
  }
  return text;
}

std::string CasesOf(const Suite& suite) {
  std::string text = "| case | what happens | what breaks | what does not |\n|---|---|---|---|\n";
  for (const std::string& column : suite.columns) {
    std::vector<std::pair<std::string, std::vector<std::string>>> broken;  // by what breaks
    std::vector<std::string> kept;
    for (const SuiteCell& cell : suite.cells) {
      if (cell.column != column) continue;
      const std::string expectation = ExpectationOf(cell);
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
      breaks += fmt::format("{}{}: {}", breaks.empty() ? "" : "; ", Quoted(rows), expectation);
    const auto about = suite.about.find(column);
    text += fmt::format("| {} | {} | {} | {} |\n", column,
                        about == suite.about.end() ? "" : about->second, breaks, Quoted(kept));
  }
  return text;
}

std::string JUnitOf(const Suite& suite, const SuiteResult& result) {
  std::string cases;
  size_t count = 0;
  size_t failures = 0;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    int repetition = 0;
    for (const CellRun& run : result.runs[i]) {
      ++count;
      cases +=
          fmt::format("  <testcase classname=\"{}\" name=\"{} #{}\" time=\"{:.3f}\"",
                      Escaped(suite.name), Escaped(suite.cells[i].name), ++repetition, run.seconds);
      if (run.as_expected) {
        cases += "/>\n";
        continue;
      }
      if (run.interrupted) {
        cases += "><skipped message=\"interrupted\"/></testcase>\n";
        continue;
      }
      ++failures;
      const std::string message =
          run.error.empty() ? run.overall + ", which was not expected" : run.error;
      cases += fmt::format("><failure message=\"{}\"/></testcase>\n", Escaped(message));
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuite>\n",
      Escaped(suite.name), count, failures, result.seconds, cases);
}

}  // namespace doublehold
