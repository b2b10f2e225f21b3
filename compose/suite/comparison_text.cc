// A comparison as text for a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "checker/evidence/names.h"
#include "checker/verdict/margin.h"
#include "compose/options/screen.h"
#include "compose/suite/comparison.h"
#include "compose/suite/load.h"
#include "compose/suite/ranking.h"
#include "compose/suite/suite_tables.h"

namespace doublehold {
namespace {

constexpr double kPercent = 100;
constexpr double kExactBelow = 100;  // values from here on need no decimals

// For example "48 to 100 percentage points"; the numbers are rounded outwards.
std::string PointsText(const Interval& bounds) {
  const auto [low, high] = std::minmax({std::abs(bounds.low), std::abs(bounds.high)});
  return fmt::format("{:.0f} to {:.0f} percentage points", std::floor(kPercent * low),
                     std::ceil(kPercent * high));
}

std::string Amount(double value, const std::string& unit) {
  if (unit == "ns") return ShortTime(std::llround(value));
  return fmt::format("{:.{}f} {}", value, std::abs(value) < kExactBelow ? 1 : 0, unit);
}

// For example "434.1 us, the baseline 95.2 us".
std::string BothText(const ComparedMeasure& measure) {
  return fmt::format("{}, the baseline {}", Amount(measure.median, measure.unit),
                     Amount(measure.median_of_baseline, measure.unit));
}

std::string Line(const std::string& row, const std::string& column, const std::string& what,
                 const std::string& text) {
  return fmt::format("  {:<14} {:<10} {:<16} {}\n", row, column, what, text);
}

std::string RateLine(const ComparedRate& rate) {
  const PairCount& pairs = rate.pairs;
  const int64_t decided = pairs.of - pairs.undecided;
  return Line(
      rate.row, rate.column, rate.claim,
      fmt::format("violated in {} of {}, the baseline in {}: {} often, by {}",
                  pairs.only_first + pairs.both, Counted(decided, "run"),
                  pairs.only_second + pairs.both, Name(rate.difference), PointsText(rate.bounds)));
}

std::string MeasureLine(const ComparedMeasure& measure) {
  const Interval& bounds = measure.found.bounds;
  const auto [low, high] = std::minmax({std::abs(bounds.low), std::abs(bounds.high)});
  return Line(measure.row, measure.column, measure.measure,
              fmt::format("{}: {}, by {} to {}", BothText(measure), Name(measure.found.difference),
                          Amount(low, measure.unit), Amount(high, measure.unit)));
}

// Returns the line of a row. A row without a rank has further lines that say why.
std::string RankLines(const RankedRow& row, size_t width) {
  std::string broken;
  for (const auto& [claim, columns] : row.broken)
    broken += fmt::format("{}{} ({})", broken.empty() ? "" : ", ", claim, fmt::join(columns, ", "));
  std::string text = fmt::format(
      "  {:<3}{:<{}} {}{}, in {}\n", row.rank ? fmt::format("{}.", *row.rank) : "-", row.row, width,
      row.rank ? "" : "no rank; violated so far: ", broken.empty() ? "nothing" : broken,
      Counted(row.runs, "run"));
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // each with its columns
  for (const UnjudgedCell& cell : row.not_judged) {
    const auto same =
        std::ranges::find(reasons, cell.why, [](const auto& one) { return one.first; });
    if (same == reasons.end()) {
      reasons.push_back({cell.why, {cell.column}});
    } else {
      same->second.push_back(cell.column);
    }
  }
  for (const auto& [why, columns] : reasons)
    text += fmt::format("       not judged in {}: {}\n", fmt::join(columns, ", "), why);
  return text;
}

// Returns a line with the budget that a rank needs; empty if each cell has enough runs.
std::string NeededBudget(const SuiteRequest& request, const SuiteResult& result) {
  int64_t runs = 0, needed = 0, fewest = kFewestToJudge;
  for (size_t i = 0; i < result.runs.size(); ++i) {
    const int64_t of_cell = std::ssize(result.runs[i]);
    runs += of_cell;
    if (!MeasuresLoad(request.suite, request.suite.cells[i])) fewest = std::min(fewest, of_cell);
    needed += std::max(of_cell, kFewestToJudge);
  }
  if (runs == 0 || fewest == kFewestToJudge) return "";
  const double factor = fewest == 0
                            ? static_cast<double>(needed) / static_cast<double>(runs)
                            : static_cast<double>(kFewestToJudge) / static_cast<double>(fewest);
  return fmt::format("a rank needs {} runs of each cell: a budget of about {} here\n",
                     kFewestToJudge, RoughTime(result.seconds * factor));
}

std::string RankText(const SuiteRequest& request, const SuiteResult& result) {
  const std::vector<RankedRow> rows = RankRows(request.suite, result);
  const bool any =
      std::ranges::any_of(rows, [](const RankedRow& row) { return row.rank.has_value(); });
  std::string text =
      fmt::format("\n{}:\n", any ? "ranked by violated claims, those about data first"
                                 : "no lock has a rank yet");
  size_t width = 14;
  for (const std::string& row : request.suite.rows) width = std::max(width, row.size());
  for (const RankedRow& row : rows) text += RankLines(row, width);
  return text + NeededBudget(request, result);
}

// Returns a line for each cell that has runs: the measures that no pair of runs has.
std::string UnmeasuredLines(const Suite& suite, const SuiteResult& result,
                            const Comparison& comparison) {
  std::set<std::pair<std::string, std::string>> run;
  for (size_t i = 0; i < result.runs.size(); ++i)
    if (!result.runs[i].empty()) run.emplace(suite.cells[i].row, suite.cells[i].column);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> unmeasured;
  for (const ComparedMeasure& measure : comparison.measures)
    if (measure.differences.empty() && run.contains({measure.row, measure.column}))
      unmeasured[{measure.row, measure.column}].push_back(measure.measure);
  std::string text;
  for (const auto& [cell, measures] : unmeasured)
    text += fmt::format("  {:<14} {:<10} {}\n", cell.first, cell.second, fmt::join(measures, ", "));
  return text;
}

// Returns a line for each row: how many comparisons prove no difference. The report has the bounds.
std::string UnseenLines(const Suite& suite, const Comparison& comparison) {
  std::string text;
  for (const std::string& row : suite.rows) {
    double most = 0;
    int64_t claims = 0, measures = 0, untested = 0;
    for (const ComparedRate& rate : comparison.rates) {
      if (rate.row != row || rate.difference != Difference::kNotSeen) continue;
      ++claims;
      most = std::max({most, std::abs(rate.bounds.low), std::abs(rate.bounds.high)});
    }
    for (const ComparedMeasure& measure : comparison.measures) {
      if (measure.row != row || measure.found.difference != Difference::kNotSeen) continue;
      if (measure.differences.empty()) continue;
      ++(std::isfinite(measure.found.bounds.low) ? measures : untested);
    }
    if (claims + measures + untested == 0) continue;
    text += fmt::format(
        "  {:<14} {} (the rates may differ by up to {:.0f} points), {}{}\n", row,
        Counted(claims, "claim"), std::ceil(kPercent * most), Counted(measures, "measure"),
        untested == 0
            ? ""
            : fmt::format("; too few pairs of runs to test {}", Counted(untested, "measure")));
  }
  return text;
}

// Returns a line for each undecided cell: the runs that could decide it.
std::string OpenLines(const SuiteRequest& request, const SuiteResult& result) {
  const std::vector<bool> decided = FindDecidedCells(request.suite, result);
  std::string text;
  for (size_t i = 0; i < decided.size(); ++i) {
    const SuiteCell& cell = request.suite.cells[i];
    if (decided[i] || result.runs[i].empty()) continue;
    if (MeasuresLoad(request.suite, cell)) {
      text += fmt::format("  {:<26} {} of {} for the load curve\n", cell.name,
                          result.runs[i].size(), Counted(kRunsOfLoad, "run"));
      continue;
    }
    if (RunsAlone(cell) || !request.until || result.answers[i].IsOver()) {
      if (cell.row != request.suite.comparison->baseline)
        text += fmt::format("  {:<26} more runs narrow the difference from {}\n", cell.name,
                            request.suite.comparison->baseline);
      continue;
    }
    const Repetitions& answer = result.answers[i];
    text += fmt::format("  {:<26} {}", cell.name, AnswerText(answer, *request.until));
    const TrialCount& seen = answer.seen();
    const int64_t missing = FewestForBelow(request.until->question) - seen.of;
    if (seen.violated + seen.undecided == 0 && missing > 0) {
      const double runs = std::ceil(static_cast<double>(missing * answer.runs()) /
                                    static_cast<double>(std::max<int64_t>(seen.of, 1)));
      text += fmt::format("; {} more without a violation decide it ({})",
                          Counted(static_cast<int64_t>(runs), "run"),
                          RoughTime(runs * ToSeconds(cell.plan.duration)));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string FormatComparison(const SuiteRequest& request, const SuiteResult& result) {
  const Comparison comparison = CompareRows(request.suite, result);
  std::string text = RankText(request, result);
  text += fmt::format(
      "\ncompared with {}, in pairs of runs with equal seed and faults\n"
      "(exact binomial tests of pairs and of signs; at most 5 % error in all {}):\n",
      request.suite.comparison->baseline,
      Counted(std::ssize(comparison.rates) + std::ssize(comparison.measures), "comparison"));
  std::string seen;
  for (const ComparedRate& rate : comparison.rates)
    if (rate.difference != Difference::kNotSeen) seen += RateLine(rate);
  for (const ComparedMeasure& measure : comparison.measures)
    if (measure.found.difference != Difference::kNotSeen) seen += MeasureLine(measure);
  text += seen.empty() ? "  no difference proved\n" : seen;
  if (const std::string unseen = UnseenLines(request.suite, comparison); !unseen.empty())
    text += "\nnot proved different (the report has the bounds):\n" + unseen;
  if (const std::string unmeasured = UnmeasuredLines(request.suite, result, comparison);
      !unmeasured.empty())
    text +=
        fmt::format("\nnot measured (a run needs {} values for its median, {} for its 99 %):\n{}",
                    kFewestForMedian, kFewestForP99, unmeasured);
  if (const std::string load = FormatLoad(FindLoadPoints(request.suite, result)); !load.empty())
    text += "\n" + load;
  if (const std::string open = OpenLines(request, result); !open.empty())
    text +=
        fmt::format("\nnot decided{}:\n{}", result.spent ? ", since the budget ended" : "", open);
  return text + "\n";
}

}  // namespace doublehold
