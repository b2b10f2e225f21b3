#include "checker/measures/unavailable_time.h"

#include <algorithm>
#include <map>
#include <vector>

namespace doublehold {
namespace {

struct KeyUse {
  std::vector<Span> held;                 // in the order of the grants
  std::vector<Span> asked;                // acquires, in the order of invocation
  std::vector<int64_t> asked_until_ns{};  // the last end of the acquires up to each
};

// The gaps between the holds of a key, each from the first acquire in it.
class UnheldGaps {
 public:
  UnheldGaps(KeyUse& use, uint16_t key) : use_(use), key_(key) {
    int64_t last_ns = 0;
    for (const Span& asked : use.asked)
      use.asked_until_ns.push_back(last_ns = std::max(last_ns, asked.to_ns));
  }

  std::optional<Unheld> Longest() {
    int64_t free_ns = 0;
    for (const Span& held : use_.held) {
      Take({free_ns, held.from_ns});
      free_ns = std::max(free_ns, held.to_ns);
    }
    if (!use_.asked.empty()) Take({free_ns, use_.asked_until_ns.back()});
    return longest_;
  }

 private:
  void Take(const Span& gap) {
    if (gap.from_ns >= gap.to_ns) return;
    const auto later = std::ranges::lower_bound(use_.asked, gap.from_ns, {}, &Span::from_ns);
    const auto before = static_cast<size_t>(later - use_.asked.begin());
    Span wanted{gap.from_ns, gap.to_ns};
    if (before == 0 || use_.asked_until_ns[before - 1] <= gap.from_ns) {
      if (later == use_.asked.end() || later->from_ns >= gap.to_ns) return;
      wanted.from_ns = later->from_ns;
    }
    if (!longest_ || wanted.to_ns - wanted.from_ns > longest_->when.to_ns - longest_->when.from_ns)
      longest_ = Unheld{.key = key_, .when = wanted};
  }

  KeyUse& use_;
  uint16_t key_;
  std::optional<Unheld> longest_;
};

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
  std::optional<Unheld> longest;
  for (auto& [key, use] : keys) {
    const std::optional<Unheld> of_key = UnheldGaps(use, key).Longest();
    const auto length = [](const Unheld& u) { return u.when.to_ns - u.when.from_ns; };
    if (of_key && (!longest || length(*of_key) > length(*longest))) longest = of_key;
  }
  return longest;
}

}  // namespace doublehold
