#include "checker/unheld.h"

#include <algorithm>
#include <map>
#include <vector>

namespace doublehold {
namespace {

struct KeyUse {
  std::vector<Span> held;     // in the order of the grants
  std::vector<Span> in_vain;  // asked for and not granted, in the order in which they were asked
};

// Of a key: the gaps between what was held, each from the first that asked in it.
class Gaps {
 public:
  Gaps(const KeyUse& use, uint16_t key) : use_(use), key_(key) {}

  std::optional<Unheld> Longest() {
    int64_t free_ns = 0;
    for (const Span& held : use_.held) {
      Take(free_ns, held.from_ns, held.from_ns);
      free_ns = std::max(free_ns, held.to_ns);
    }
    int64_t last_ns = free_ns;
    for (const Span& asked : use_.in_vain) last_ns = std::max(last_ns, asked.to_ns);
    Take(free_ns, last_ns, last_ns);
    return longest_;
  }

 private:
  void Take(int64_t from_ns, int64_t before_ns, int64_t to_ns) {
    const auto first = std::ranges::lower_bound(use_.in_vain, from_ns, {}, &Span::from_ns);
    if (first == use_.in_vain.end() || first->from_ns >= before_ns) return;
    const Span gap{first->from_ns, to_ns};
    if (!longest_ || gap.to_ns - gap.from_ns > longest_->when.to_ns - longest_->when.from_ns)
      longest_ = Unheld{.key = key_, .when = gap};
  }

  const KeyUse& use_;
  uint16_t key_;
  std::optional<Unheld> longest_;
};

}  // namespace

std::optional<Unheld> LongestUnheld(const Evidence& evidence) {
  std::map<uint16_t, KeyUse> keys;
  for (const Hold& hold : evidence.holds().all) keys[hold.key].held.push_back(hold.core);
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire || call.Ok()) continue;
    // Without an answer it is asked at one instant: how long its client waited is not known.
    const int64_t to_ns = call.to_ns < kForeverNs ? call.to_ns : call.from_ns;
    keys[call.key].in_vain.push_back({call.from_ns, to_ns});
  }
  std::optional<Unheld> longest;
  for (const auto& [key, use] : keys) {
    const std::optional<Unheld> of_key = Gaps(use, key).Longest();
    const auto length = [](const Unheld& u) { return u.when.to_ns - u.when.from_ns; };
    if (of_key && (!longest || length(*of_key) > length(*longest))) longest = of_key;
  }
  return longest;
}

}  // namespace doublehold
