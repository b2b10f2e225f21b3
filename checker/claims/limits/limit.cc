#include "checker/claims/limits/limit.h"

#include <fmt/format.h>

#include <charconv>

#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"
#include "lib/base/time.h"

namespace doublehold {

Result<int64_t> ParseLimit(LimitKind kind, std::string_view word) {
  if (kind == LimitKind::kTime) {
    const Result<Duration> span = ParseDuration(word);
    if (!span) return tl::unexpected(span.error());
    if (*span <= Duration::zero()) return BadInput(fmt::format("'{}' is not above 0", word));
    return ToNs(*span);
  }
  int64_t number = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != word.data() + word.size() || number < 1)
    return BadInput(fmt::format("'{}' is not a number of at least 1", word));
  return number;
}

std::optional<int64_t> LimitOf(const RunFacts& facts, std::string_view claim) {
  const auto found = facts.limits.find(std::string(claim));
  if (found == facts.limits.end()) return std::nullopt;
  const Result<int64_t> limit = ParseLimit(FindChecker(claim)->limit, found->second);
  return limit ? std::optional(*limit) : std::nullopt;
}

Violation DescribeExcessWithin(const Disturbances& disturbances, uint16_t key, const Span& when,
                               const Hold* first, const std::string& sentence,
                               std::string_view limit) {
  const std::vector<const FaultEpisode*> faults = disturbances.EpisodesWithin(when);
  Violation violation{.key = KeyName(disturbances.facts, key),
                      .from_ns = when.from_ns,
                      .to_ns = when.to_ns,
                      .sentence = fmt::format("{}; the limit is {}; {}", sentence, limit,
                                              FaultsClause(disturbances, faults))};
  if (first != nullptr) violation.first = first->Ref();
  if (!faults.empty()) violation.fault = faults.front()->fault;
  return violation;
}

}  // namespace doublehold
