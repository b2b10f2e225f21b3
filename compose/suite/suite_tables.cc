#include "compose/suite/suite_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace doublehold {
namespace {

constexpr std::string_view kNothing = "ok";

// The claims of a cell whose expected outcome is `outcome`.
std::string Expecting(const SuiteCell& cell, std::string_view outcome) {
  std::string claims;
  for (const std::string& claim : cell.plan.claims) {
    const auto expected = cell.plan.expect.find(claim);
    if (expected == cell.plan.expect.end() || expected->second != outcome) continue;
    claims += (claims.empty() ? "" : ", ") + claim;
  }
  return claims;
}

// The expectation of a cell in a matrix: "**exclusion, stock**, perhaps liveness".
std::string ExpectationOf(const SuiteCell& cell) {
  const std::string violated = Expecting(cell, "violated");
  const std::string any = Expecting(cell, "any");
  std::string text = violated.empty() ? "" : "**" + violated + "**";
  if (!any.empty()) text += (text.empty() ? "perhaps " : ", perhaps ") + any;
  return text.empty() ? std::string(kNothing) : text;
}

// The names that have cells; a part of a suite may lack some.
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

struct JUnitCase {
  std::string name;
  double seconds = 0;
  bool failed = false;
  bool skipped = false;
  std::string message{};  // set if it failed or was skipped
};

JUnitCase CaseOf(const SuiteCell& cell, const CellRun& run, size_t repetition) {
  JUnitCase found{.name = fmt::format("{} #{}", cell.name, repetition), .seconds = run.seconds};
  found.skipped = !run.as_expected && run.interrupted;
  found.failed = !run.as_expected && !run.interrupted;
  found.message = found.skipped       ? "interrupted"
                  : run.error.empty() ? run.overall + ", which was not expected"
                                      : run.error;
  return found;
}

JUnitCase CaseOf(const SuiteCell& cell, const std::vector<CellRun>& runs, const Repetitions& answer,
                 const Until& until, bool interrupted) {
  JUnitCase found{.name = fmt::format("{}: {}", cell.name, until.text),
                  .message = AnswerText(answer, until)};
  for (const CellRun& run : runs) found.seconds += run.seconds;
  found.skipped = interrupted && answer.answer() == RateAnswer::kOpen;
  found.failed = !found.skipped && answer.answer() != RateAnswer::kBelow;
  return found;
}

std::string ToXml(const JUnitCase& one, const std::string& suite) {
  const std::string text = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                       Escaped(suite), Escaped(one.name), one.seconds);
  if (!one.failed && !one.skipped) return text + "/>\n";
  return text + fmt::format("><{} message=\"{}\"/></testcase>\n",
                            one.failed ? "failure" : "skipped", Escaped(one.message));
}

}  // namespace

std::string MatrixOf(const Suite& suite) {
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
      text += fmt::format(" {} |", found == suite.cells.end() ? "" : ExpectationOf(*found));
    }
    text += "\n";
  }
  return text;
}

std::string CasesOf(const Suite& suite) {
  std::string text = "| case | what happens | what breaks | what does not |\n|---|---|---|---|\n";
  for (const std::string& column : WithCells(suite, suite.columns, &SuiteCell::column)) {
    // Rows grouped by their expectation.
    std::vector<std::pair<std::string, std::vector<std::string>>> broken;
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
      breaks += fmt::format("{}{}: {}", breaks.empty() ? "" : "; ", QuotedRows(rows), expectation);
    const auto about = suite.about.find(column);
    text += fmt::format("| {} | {} | {} | {} |\n", column,
                        about == suite.about.end() ? "" : about->second, breaks, QuotedRows(kept));
  }
  return text;
}

std::string JUnitOf(const SuiteRequest& request, const SuiteResult& result) {
  const Suite& suite = request.suite;
  std::vector<JUnitCase> cases;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    if (result.runs[i].empty()) continue;
    if (request.until) {
      cases.push_back(CaseOf(suite.cells[i], result.runs[i], result.answers[i], *request.until,
                             result.interrupted));
      continue;
    }
    for (size_t run = 0; run < result.runs[i].size(); ++run)
      cases.push_back(CaseOf(suite.cells[i], result.runs[i][run], run + 1));
  }
  std::string text;
  for (const JUnitCase& each : cases) text += ToXml(each, suite.name);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" "
      "time=\"{:.3f}\">\n{}</testsuite>\n",
      Escaped(suite.name), cases.size(), std::ranges::count_if(cases, &JUnitCase::failed),
      result.seconds, text);
}

}  // namespace doublehold
