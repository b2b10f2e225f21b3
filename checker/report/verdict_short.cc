// Writes a verdict for a terminal so that it fits on a screen: its table, and the steps of the
// violation that matters most. Also writes the throughput and the latencies.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/explain/cause.h"
#include "checker/report/verdict_table.h"
#include "checker/verdict/checker.h"

namespace doublehold {
namespace {

// The intended number of lines of the short text. With the lines that `run` adds, these are 30.
constexpr std::ptrdiff_t kLines = 24;
constexpr std::ptrdiff_t kFewestSteps = 3;

std::ptrdiff_t CountLines(const std::string& text) { return std::ranges::count(text, '\n'); }

// Prefers a violation of the data to one of the lock: the lock exists to protect the data.
const ClaimVerdict* FindGravestClaim(const RunVerdict& verdict) {
  const ClaimVerdict* gravest = nullptr;
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.outcome != Outcome::kViolated || claim.violations.empty()) continue;
    const CheckerEntry* entry = FindChecker(claim.claim);
    if (entry != nullptr && entry->about == About::kData) return &claim;
    if (gravest == nullptr) gravest = &claim;
  }
  return gravest;
}

// Returns a line with the violation of `release` or `release-result`, if it involves two holds.
// Returns an empty text if the cause of `gravest` names the release.
std::string FormatWrongRelease(const RunVerdict& verdict, const ClaimVerdict& gravest) {
  if (gravest.violations.front().cause == Cause::kForeignRelease) return "";
  for (const ClaimVerdict& claim : verdict.claims) {
    const bool of_release = claim.claim == "release" || claim.claim == "release-result";
    if (!of_release || &claim == &gravest || claim.outcome != Outcome::kViolated) continue;
    if (!claim.violations.empty() && claim.violations.front().second)
      return fmt::format("     {}: {}\n", claim.claim, claim.violations.front().sentence);
  }
  return "";
}

// Formats the first violation of a claim in about `room` lines: leaves out steps in the middle, but
// keeps at least kFewestSteps lines of steps.
std::string FormatFirstViolation(const RunVerdict& verdict, const ClaimVerdict& claim,
                                 std::ptrdiff_t room) {
  const Violation& violation = claim.violations.front();
  std::string text = fmt::format("{}: {}: {}\n     cause: {}: {}\n", claim.claim, violation.key,
                                 violation.sentence, Name(violation.cause), violation.because);
  text += FormatWrongRelease(verdict, claim);
  const auto steps = std::ssize(violation.steps);
  const std::ptrdiff_t shown = std::max(kFewestSteps, room - CountLines(text));
  const std::ptrdiff_t cut = steps > shown ? steps - shown + 1 : 0;
  const std::ptrdiff_t first = cut == 0 ? steps : (shown - 1) / 2;
  for (std::ptrdiff_t i = 0; i < steps; ++i) {
    if (i == first) text += fmt::format("      .. {}\n", Counted(cut, "further step"));
    if (i < first || i >= first + cut) text += StepLine(violation, static_cast<size_t>(i));
  }
  return text;
}

// Says why claims are unknown. If the run is valid, gives the margins of its claims.
std::string FormatReasons(const RunVerdict& verdict) {
  std::string text;
  for (const ClaimVerdict& claim : verdict.claims) {
    if (claim.outcome == Outcome::kUnknown)
      text += fmt::format("{}: unknown: {}\n", claim.claim, claim.reason);
  }
  if (!text.empty() || verdict.overall != Outcome::kValid) return text;
  for (const ClaimVerdict& claim : verdict.claims) {
    for (const Margin& margin : claim.margins)
      text += fmt::format("{}: {}\n", claim.claim, MarginText(margin));
  }
  return text;
}

}  // namespace

std::string ToShortText(const RunVerdict& verdict) {
  std::string text = HeadText(verdict) + '\n';
  std::string warnings;
  for (const std::string& warning : verdict.warnings) warnings += "warning: " + warning + '\n';
  const std::string reasons = LostUpdatesText(verdict) + FormatReasons(verdict);
  const std::ptrdiff_t room =
      kLines - CountLines(text) - CountLines(warnings) - CountLines(reasons);
  const ClaimVerdict* gravest = FindGravestClaim(verdict);
  if (gravest != nullptr) text += FormatFirstViolation(verdict, *gravest, room);
  return text + reasons + warnings;
}

std::string PaceText(const RunVerdict& verdict) {
  const Tally& tally = verdict.tally;
  std::string text;
  if (tally.seconds > 0) {
    text += fmt::format("throughput: {:.1f} grants/s, {:.1f} orders/s; {} in {:.1f} s\n",
                        static_cast<double>(tally.grants) / tally.seconds,
                        static_cast<double>(tally.orders) / tally.seconds,
                        Counted(tally.grants, "grant"), tally.seconds);
  }
  std::string latencies;
  for (const auto& [name, times] : tally.latency) {
    if (times.count == 0) continue;
    latencies += fmt::format("{}{} {} ({})", latencies.empty() ? "" : ", ", name,
                             ShortTime(times.p50_ns), ShortTime(times.p99_ns));
  }
  return latencies.empty() ? text : text + fmt::format("latency: p50 (p99): {}\n", latencies);
}

}  // namespace doublehold
