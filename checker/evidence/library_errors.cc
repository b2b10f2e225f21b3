#include "checker/evidence/library_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "checker/evidence/disturbances.h"

namespace doublehold {

LibraryErrors CountLibraryErrors(const Evidence& evidence) {
  constexpr std::array kOps{Op::kAcquire, Op::kRelease, Op::kExtend};
  LibraryErrors all{{{.calls = "acquires"}, {.calls = "releases"}, {.calls = "extensions"}}};
  const RunFacts& facts = evidence.facts();
  if (!facts.library) return all;
  const int64_t aftermath_ns = ToNs(facts.lease) + ToNs(facts.grace);
  for (const Event& event : evidence.history().events) {
    if (event.client <= kReferee) continue;
    const auto kind = std::ranges::find(kOps, event.op) - kOps.begin();
    if (kind < std::ssize(kOps) && event.type == EventType::kInvoke)
      ++all[static_cast<size_t>(kind)].sent;
    if (event.op != Op::kDriverError) continue;
    CallErrors& of_kind = all[static_cast<size_t>(std::clamp<int64_t>(event.value[1], 0, 2))];
    ++of_kind.errors;
    const Span may_explain{event.at_ns - event.value[0] - aftermath_ns, event.at_ns};
    if (evidence.disturbances().EpisodesWithin(may_explain).empty()) ++of_kind.without_fault;
  }
  return all;
}

std::string WhyTooManyErrors(const LibraryErrors& errors) {
  constexpr int64_t kMostPercent = 10;
  const CallErrors& acquires = errors.front();
  if (100 * acquires.without_fault <= kMostPercent * acquires.sent) return "";
  return DescribeErrors(acquires) + fmt::format(" (limit: {} %)", kMostPercent);
}

std::string DescribeErrors(const CallErrors& errors) {
  return fmt::format(
      "the library answered {} of {} {} with an error, {} of them while no fault was "
      "active",
      errors.errors, errors.sent, errors.calls,
      errors.without_fault == errors.errors ? "all" : std::to_string(errors.without_fault));
}

}  // namespace doublehold
