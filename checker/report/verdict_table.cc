#include "checker/report/verdict_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/rates/pool.h"
#include "checker/rates/trials.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

using Row = std::vector<std::string>;

constexpr int kMostShareDecimals = 6;

std::string AlignColumns(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

// "1 of 2, 1.2-98.8 %"
std::string FormatTrials(const ClaimVerdict& claim) {
  const TrialCount trials = CountOf(claim.trials);
  return trials.of == 0 ? "-" : RateText(trials, "");
}

// "2 of 251 orders, 0.80 %". The share has at least two digits, and at most kMostShareDecimals
// decimals.
std::string FormatShare(const ClaimVerdict& claim) {
  std::string text = fmt::format("{} of {} {}", claim.count, claim.opportunities, claim.unit);
  if (claim.count == 0 || claim.opportunities == 0) return text;
  const double percent = std::min(
      100.0, 100.0 * static_cast<double>(claim.count) / static_cast<double>(claim.opportunities));
  int decimals = 1;
  for (double part = percent; part < 1 && decimals < kMostShareDecimals; part *= 10) ++decimals;
  return text + fmt::format(", {:.{}f} %", percent, decimals);
}

Row ClaimRow(const ClaimVerdict& claim, const RunFacts& facts) {
  const std::string expected = ExpectedOf(facts, claim.claim).value_or("-");
  return {claim.claim, std::string(Name(claim.outcome)),
          IsAsExpected(facts, claim) || expected == "-" ? expected : expected + " (!)",
          FormatTrials(claim), FormatShare(claim)};
}

std::string FormatTable(const RunVerdict& verdict) {
  const std::string unit = verdict.trial_unit.empty() ? "run" : verdict.trial_unit;
  std::vector<Row> rows{
      {"claim", "outcome", "expected", fmt::format("rate by {}, 95 %", unit), "share, not a rate"}};
  for (const ClaimVerdict& claim : verdict.claims) rows.push_back(ClaimRow(claim, verdict.facts));
  return AlignColumns(rows);
}

// The library that was judged, and how its holds were timed.
std::string LibraryLine(const RunFacts& facts) {
  if (!facts.library) return "";
  return fmt::format(
      "the lock is {} {}, served by a driver; holds are timed outside its calls, so they are never "
      "recorded too long\n",
      OnOneLine(facts.library->name), OnOneLine(facts.library->version));
}

}  // namespace

std::string VerdictLine(const RunVerdict& verdict) {
  std::vector<std::string> claims;
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.outcome == verdict.overall) claims.push_back(claim.claim);
  }
  const bool names = verdict.overall != Outcome::kValid && !claims.empty();
  return fmt::format("verdict: {}{}{}{}\n", Name(verdict.overall),
                     names ? fmt::format(" ({})", fmt::join(claims, ", ")) : "",
                     verdict.facts.expect.empty() ? ""
                     : verdict.as_expected        ? ", as expected"
                                                  : ", not as expected",
                     verdict.cut_short.empty() ? "" : "; the run was cut short");
}

std::string HeadText(const RunVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  return VerdictLine(verdict) +
         fmt::format("{}: {} under {}{}, {} and {}, lease {}, seed {}\n", facts.experiment,
                     facts.lock, facts.workload,
                     facts.write.empty() ? "" : " (" + facts.write + ")",
                     Counted(facts.clients, "client"), Counted(facts.nodes, "node"),
                     FormatDuration(facts.lease), facts.seed) +
         LibraryLine(facts) + '\n' + FormatTable(verdict);
}

std::string StepLine(const Violation& violation, size_t index) {
  const StoryStep& step = violation.steps[index];
  return fmt::format("     {:>2}) {:>10}  {}\n", index + 1, At(step.at_ns), step.text);
}

std::string MarginText(const Margin& margin) {
  const bool missed = margin.value < 0 && !margin.missed.empty();
  const int64_t value = missed ? -margin.value : margin.value;
  // "tokens", but "1 token"
  const std::string unit = margin.unit.substr(0, margin.unit.size() - (value == 1 ? 1 : 0));
  return fmt::format("{}: {}", missed ? margin.missed : margin.what,
                     margin.unit == "ns" ? ShortTime(value) : fmt::format("{} {}", value, unit));
}

std::string LostUpdatesText(const RunVerdict& verdict) {
  const LostUpdates updates = verdict.lost_updates.value_or(LostUpdates{});
  const int64_t refused = updates.refused_writes.value_or(0);
  std::string text;
  if (updates.count > 0 || refused > 0) {
    text += fmt::format("lost updates: {}", updates.count);
    // The share of a single trial has no interval.
    if (updates.trials.size() > 1)
      text += fmt::format(" of {}", ShareText(updates.trials, verdict.trial_unit));
    if (updates.count > 0 && verdict.tally.grants > 0) {
      text +=
          fmt::format(", {:.0f} per million grants", static_cast<double>(updates.count) * 1e6 /
                                                         static_cast<double>(verdict.tally.grants));
    }
    text += '\n';
  }
  if (refused > 0) text += fmt::format("stale writes refused by the store: {}\n", refused);
  return text;
}

}  // namespace doublehold
