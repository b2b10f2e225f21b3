#include "checker/measures/unavailable_time.h"

#include <algorithm>
#include <map>
#include <vector>

namespace doublehold {
namespace {

struct KeyUse {
  std::vector<Span> held;   // in the order of the grants
  std::vector<Span> asked;  // acquires, in the order of invocation
};

int64_t LengthNs(const Span& span) { return span.to_ns - span.from_ns; }

// The longest gap between the holds of a key, each from the first acquire in it.
Span LongestGap(const KeyUse& use) {
  Span longest;
  int64_t free_ns = 0;
  auto asked = use.asked.begin();  // the first that was not over when the key became free
  const auto take = [&](int64_t to_ns) {
    while (asked != use.asked.end() && asked->from_ns < free_ns && asked->to_ns <= free_ns) ++asked;
    if (asked == use.asked.end()) return;
    const Span wanted{std::max(free_ns, asked->from_ns), to_ns};
    if (LengthNs(wanted) > LengthNs(longest)) longest = wanted;
  };
  for (const Span& held : use.held) {
    take(held.from_ns);
    free_ns = std::max(free_ns, held.to_ns);
  }
  if (!use.asked.empty()) take(std::ranges::max(use.asked, {}, &Span::to_ns).to_ns);
  return longest;
}

}  // namespace

std::optional<Unheld> LongestUnheld(const Evidence& evidence) {
  std::map<uint16_t, KeyUse> keys;
  for (const Hold& hold : evidence.holds().all) keys[hold.key].held.push_back(hold.core);
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire) continue;
    // An unanswered acquire counts at one instant: how long its client waited is unknown.
    const int64_t to_ns = call.to_ns < kForeverNs ? call.to_ns : call.from_ns;
    keys[call.key].asked.push_back({call.from_ns, to_ns});
  }
  Unheld longest;
  for (const auto& [key, use] : keys) {
    const Span gap = LongestGap(use);
    if (LengthNs(gap) > LengthNs(longest.when)) longest = {.key = key, .when = gap};
  }
  return LengthNs(longest.when) > 0 ? std::optional(longest) : std::nullopt;
}

}  // namespace doublehold
