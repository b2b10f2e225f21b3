#include "checker/claims/lock/asked_in_vain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/stall_attribution.h"

namespace doublehold {
namespace {

struct Asked {
  SessionId session;
  Span when;
};

class KeyAsks {
 public:
  KeyAsks(const Evidence& evidence, uint16_t key) : evidence_(evidence), key_(key) {}

  void AddHold(const Span& held) { held_.push_back(held); }

  // `to_ns`: the answer of the acquire, or the end of its client.
  void AddAsk(const Call& acquire, int64_t to_ns) {
    const auto [found, is_new] = open_.try_emplace(acquire.session, asked_.size());
    const int64_t lease_ns = ToNs(evidence_.facts().lease);
    const bool goes_on = !is_new && acquire.from_ns - asked_[found->second].when.to_ns <= lease_ns;
    if (goes_on) {
      asked_[found->second].when.to_ns = to_ns;
    } else {
      found->second = asked_.size();
      asked_.push_back({acquire.session, {acquire.from_ns, to_ns}});
    }
    if (acquire.Ok()) open_.erase(found);
  }

  [[nodiscard]] AskedInVain FindLongest(int64_t patience_ns) && {
    std::ranges::sort(held_, {}, &Span::from_ns);
    std::vector<int64_t> latest_end_ns{0};  // of the holds before each hold
    for (const Span& held : held_)
      latest_end_ns.push_back(std::max(latest_end_ns.back(), held.to_ns));
    AskedInVain longest{.for_ns = patience_ns};
    for (const auto& [session, when] : asked_) {
      if (when.to_ns - when.from_ns <= patience_ns) continue;
      auto held = std::ranges::lower_bound(held_, when.from_ns, {}, &Span::from_ns);
      int64_t since_ns =
          std::max(when.from_ns, latest_end_ns[static_cast<size_t>(held - held_.begin())]);
      for (; held != held_.end() && held->from_ns < when.to_ns; ++held) {
        const auto& [from_ns, to_ns] = *held;
        Compare({session, {since_ns, from_ns}}, longest);
        since_ns = std::max(since_ns, to_ns);
      }
      Compare({session, {since_ns, when.to_ns}}, longest);
    }
    return longest;
  }

 private:
  void Compare(Asked asked, AskedInVain& longest) const {
    auto& [session, when] = asked;
    if (when.to_ns - when.from_ns <= longest.for_ns) return;
    when.from_ns =
        evidence_.disturbed().Until(when, {session.client, key_}, Disturbed::Which::kHinders);
    if (when.from_ns >= when.to_ns) return;
    const int64_t for_ns =
        when.to_ns - when.from_ns -
        BlockedTimeNs(evidence_.disturbances(), session.client, Side::kAcquire, when);
    if (for_ns > longest.for_ns) longest = {session, when, for_ns};
  }

  const Evidence& evidence_;
  const uint16_t key_;
  std::vector<Span> held_;
  std::vector<Asked> asked_;
  std::map<SessionId, size_t> open_;  // index into `asked_` of a time that may go on
};

}  // namespace

std::map<uint16_t, AskedInVain> FindAskedInVain(const Evidence& evidence, int64_t patience_ns) {
  const std::vector<Event>& events = evidence.history().events;
  const LeaseEnds& lease_ends = evidence.lease_ends();
  std::map<uint16_t, KeyAsks> keys;
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire) continue;
    KeyAsks& asks = keys.try_emplace(call.key, evidence, call.key).first->second;
    if (call.Ok()) {
      const Call* release = evidence.calls().ReleaseOf(call.hold);
      asks.AddHold({call.to_ns, release == nullptr ? lease_ends.LikelyNs(call) : release->to_ns});
    }
    const int64_t end_ns = std::min(evidence.ProbedNs(call.key), events.back().at_ns);
    if (!call.AsksForSeveralKeys())
      asks.AddAsk(call, std::min({call.to_ns, lease_ends.GoneNs(call.session.client), end_ns}));
  }
  std::map<uint16_t, AskedInVain> found;
  for (auto& [key, asks] : keys) {
    const AskedInVain longest = std::move(asks).FindLongest(patience_ns);
    if (longest.when.to_ns > 0) found.emplace(key, longest);
  }
  return found;
}

}  // namespace doublehold
