#include "checker/judge_file.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "checker/claims/lock/exclusion_scan.h"
#include "checker/evidence/names.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

// The verdict of a scan that decided and found no overlap; nothing: the scan could not decide.
std::optional<RunVerdict> JudgeByScan(const MappedHistory& file, RunFacts facts) {
  const ExclusionScan scan = ScanExclusion(file);
  const bool whole = scan.last_ns >= ToNs(facts.duration);
  if (!scan.gave_up.empty() || !whole || scan.judged == 0) return std::nullopt;
  if (WhyTooLittle(scan.judged, scan.holds - scan.judged, "holds")) return std::nullopt;
  ClaimVerdict claim{.claim = "exclusion",
                     .outcome = Outcome::kValid,
                     .reason = fmt::format("none of {} began while another client held the key",
                                           Counted(scan.holds, "hold")),
                     .opportunities = scan.holds,
                     .unit = "holds"};
  if (scan.shortest_gap_ns) {
    claim.margins = {{.what = "shortest gap between two holds",
                      .value = *scan.shortest_gap_ns,
                      .missed = "longest overlap of two holds"}};
  }
  RunVerdict verdict{.facts = std::move(facts), .claims = {std::move(claim)}};
  verdict.tally.grants = scan.holds;
  Conclude(verdict);
  return verdict;
}

}  // namespace

void RestrictTo(const std::vector<std::string>& claims, RunFacts& facts) {
  facts.claims = claims;
  const auto is_other = [&](const auto& expected) {
    return std::ranges::find(claims, expected.first) == claims.end();
  };
  std::erase_if(facts.expect, is_other);
  std::erase_if(facts.expect_cause, is_other);
}

Result<RunVerdict> JudgeFile(const MappedHistory& file, const std::vector<std::string>& claims,
                             const ClaimJudged& judged) {
  RunFacts facts = file.facts();
  RestrictTo(claims, facts);
  if (claims == std::vector<std::string>{"exclusion"}) {
    if (std::optional<RunVerdict> verdict = JudgeByScan(file, facts)) return std::move(*verdict);
  }
  Result<History> history = file.Load();
  if (!history) return tl::unexpected(history.error());
  history->facts = std::move(facts);
  return Judge(*history, {}, judged);
}

}  // namespace doublehold
