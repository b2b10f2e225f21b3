// The results of a suite as JUnit XML.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

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
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

enum class CaseKind : uint8_t { kPassed, kFailed, kError, kSkipped };

struct JUnitCase {
  std::string name;
  double seconds = 0;
  CaseKind kind = CaseKind::kPassed;
  std::string message{};  // set unless the case passed
  std::string text{};     // the sentences and the folder
  std::string output{};   // faults whose planned effect was not reached
};

// Returns an empty text if the run could not begin, and so has no folder.
std::string FolderLine(const SuiteRequest& request, const CellRun& run) {
  if (run.folder.empty()) return "";
  return fmt::format("folder: {}\n", (request.folder / run.folder).lexically_normal().string());
}

std::string TextOfUntested(const CellRun& run) {
  return fmt::format("{}", fmt::join(run.untested, "\n"));
}

JUnitCase MakeJUnitCase(const SuiteRequest& request, const SuiteCell& cell, const CellRun& run,
                        size_t repetition) {
  JUnitCase found{.name = fmt::format("{} #{}", cell.name, repetition),
                  .seconds = run.seconds,
                  .output = TextOfUntested(run)};
  if (run.as_expected) return found;
  found.text = FolderLine(request, run);
  if (!run.error.empty()) {
    found.kind = CaseKind::kError;
    found.message = run.error;
  } else {
    found.kind = CaseKind::kFailed;
    found.message = run.findings.empty() ? run.overall + ", which was not expected"
                                         : fmt::format("{}", fmt::join(run.findings, "; "));
    found.text = fmt::format("{}\n{}", fmt::join(run.findings, "\n"), found.text);
  }
  return found;
}

JUnitCase MakeJUnitCase(const SuiteRequest& request, const SuiteResult& result, size_t index) {
  const Repetitions& answer = result.answers[index];
  JUnitCase found{
      .name = fmt::format("{}: {}", request.suite.cells[index].name, request.until->text),
      .message = AnswerText(answer, *request.until)};
  bool all_failed = true;
  for (const CellRun& run : result.runs[index]) {
    found.seconds += run.seconds;
    all_failed = all_failed && !run.error.empty();
    if (found.output.empty()) found.output = TextOfUntested(run);
    if (run.findings.empty() || !found.text.empty()) continue;
    found.text = fmt::format("{}\n{}", fmt::join(run.findings, "\n"), FolderLine(request, run));
  }
  if (result.interrupted && answer.answer() == RateAnswer::kOpen) {
    found.kind = CaseKind::kSkipped;
  } else if (all_failed) {
    found.kind = CaseKind::kError;
    found.message += ": " + result.runs[index].front().error;
  } else if (answer.answer() != RateAnswer::kBelow) {
    found.kind = CaseKind::kFailed;
  }
  return found;
}

std::string ToXml(const JUnitCase& one, const std::string& suite) {
  const std::string start = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                        Escaped(suite), Escaped(one.name), one.seconds);
  std::string body;
  if (one.kind != CaseKind::kPassed) {
    const std::string_view element = one.kind == CaseKind::kFailed  ? "failure"
                                     : one.kind == CaseKind::kError ? "error"
                                                                    : "skipped";
    body = fmt::format("<{0} message=\"{1}\">{2}</{0}>", element, Escaped(one.message),
                       Escaped(one.text));
  }
  if (!one.output.empty()) body += fmt::format("<system-out>{}</system-out>", Escaped(one.output));
  return start + (body.empty() ? "/>\n" : fmt::format(">{}</testcase>\n", body));
}

}  // namespace

std::string ToJUnit(const SuiteRequest& request, const SuiteResult& result) {
  const Suite& suite = request.suite;
  std::vector<JUnitCase> cases;
  for (size_t i = 0; i < suite.cells.size(); ++i) {
    if (result.runs[i].empty()) {
      if (result.IsCut() && request.shard.Has(i))
        cases.push_back({.name = suite.cells[i].name,
                         .kind = CaseKind::kSkipped,
                         .message = "no run of it has ended"});
      continue;
    }
    if (request.until) {
      cases.push_back(MakeJUnitCase(request, result, i));
      continue;
    }
    for (size_t run = 0; run < result.runs[i].size(); ++run)
      cases.push_back(MakeJUnitCase(request, suite.cells[i], result.runs[i][run], run + 1));
  }
  std::string text;
  for (const JUnitCase& each : cases) text += ToXml(each, suite.name);
  const auto count = [&](CaseKind kind) {
    return std::ranges::count(cases, kind, &JUnitCase::kind);
  };
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n{}</testsuite>\n",
      Escaped(suite.name), cases.size(), count(CaseKind::kFailed), count(CaseKind::kError),
      count(CaseKind::kSkipped), result.seconds, text);
}

}  // namespace doublehold
