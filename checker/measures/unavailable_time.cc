#include "checker/measures/unavailable_time.h"

#include <algorithm>
#include <map>
#include <vector>

namespace doublehold {
namespace {

struct KeyUse {
  std::vector<Span> held;      // in the order of the grants
  std::vector<Span> acquires;  // acquires, in the order of invocation
};

int64_t LengthNs(const Span& span) { return span.to_ns - span.from_ns; }

// Returns the longest gap between the holds of a key. A gap counts from the first acquire in it.
Span LongestGap(const KeyUse& use) {
  Span longest;
  int64_t free_ns = 0;
  auto next = use.acquires.begin();  // the first acquire that ended after the key became free
  const auto note = [&](int64_t to_ns) {
    while (next != use.acquires.end() && next->from_ns < free_ns && next->to_ns <= free_ns) ++next;
    if (next == use.acquires.end()) return;
    const Span wanted{std::max(free_ns, next->from_ns), to_ns};
    if (LengthNs(wanted) > LengthNs(longest)) longest = wanted;
  };
  for (const Span& held : use.held) {
    note(held.from_ns);
    free_ns = std::max(free_ns, held.to_ns);
  }
  if (!use.acquires.empty()) note(std::ranges::max(use.acquires, {}, &Span::to_ns).to_ns);
  return longest;
}

}  // namespace

std::optional<UnavailableTime> FindLongestUnavailableTime(const Evidence& evidence) {
  std::map<uint16_t, KeyUse> keys;
  for (const Hold& hold : evidence.holds().all) keys[hold.key].held.push_back(hold.core);
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire) continue;
    // A refused acquire of several keys may have waited for another of them.
    if (call.AsksForSeveralKeys() && !call.Ok()) continue;
    // An unanswered acquire counts at its invocation only: the end of its client's wait is unknown.
    const int64_t to_ns = call.to_ns < kForeverNs ? call.to_ns : call.from_ns;
    keys[call.key].acquires.push_back({call.from_ns, to_ns});
  }
  UnavailableTime longest;
  for (const auto& [key, use] : keys) {
    const Span gap = LongestGap(use);
    if (LengthNs(gap) > LengthNs(longest.when)) longest = {.key = key, .when = gap};
  }
  return LengthNs(longest.when) > 0 ? std::optional(longest) : std::nullopt;
}

}  // namespace doublehold
