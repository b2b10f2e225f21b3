#include "checker/claims/lock/key_states.h"

#include <algorithm>
#include <set>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/library.h"

namespace doublehold {
namespace {

constexpr int64_t kNsInMs = 1'000'000;

bool BlocksNobody(const KeyState& state) {
  return state.outlasting && state.IsGranted() &&
         Before(state.outlasting->at_ns, state.probe->to_ns);
}

// Returns the least time left that no lease of this length explains: ten times lease and grace, and
// ten seconds. Some services round a short lease up to seconds, or have a least lease. Returns
// kForeverNs if the lease of the key is not known, or if a moved clock may explain any time left.
int64_t UnexplainedLeftNs(const RunFacts& facts, int64_t lease_ns) {
  if (!LeasesEnd(facts) || std::ranges::any_of(facts.faults, MovesAClock)) return kForeverNs;
  if (lease_ns >= kForeverNs / 100) return kForeverNs;  // years
  constexpr int64_t kLeastLeaseNs = 10'000'000'000;
  return 10 * (lease_ns + ToNs(facts.grace)) + kLeastLeaseNs;
}

}  // namespace

std::map<uint16_t, KeyState> ReadKeyStates(const History& history) {
  std::map<uint16_t, KeyState> keys;
  std::map<uint16_t, int64_t> leases_ns;  // the longest lease that was asked for
  for (const Event& event : history.events) {
    int64_t& lease_ns = leases_ns.try_emplace(event.key, ToNs(history.facts.lease)).first->second;
    if ((event.op == Op::kAcquire || event.op == Op::kExtend) && event.type == EventType::kInvoke)
      lease_ns = std::max(lease_ns, event.value[0]);
    if (event.op == Op::kExpiry && event.type == EventType::kOk) {
      const bool never = event.value[0] == -1;
      const int64_t left_ns =
          never ? kForeverNs
                : std::clamp<int64_t>(event.value[0], 0, kForeverNs / kNsInMs) * kNsInMs;
      if (never || left_ns >= UnexplainedLeftNs(history.facts, lease_ns))
        keys[event.key].outlasting = {event.at_ns, left_ns, lease_ns};
    }
    if (event.op != Op::kProbe) continue;
    std::optional<KeyProbe>& probe = keys[event.key].probe;
    if (probe && probe->outcome == EventType::kFail) continue;
    if (event.type == EventType::kInvoke) {
      probe = KeyProbe{.from_ns = event.at_ns, .to_ns = event.at_ns, .budget_ns = event.value[0]};
      continue;
    }
    if (!probe)
      probe = KeyProbe{.from_ns = event.at_ns,
                       .budget_ns = ToNs(history.facts.lease + history.facts.grace)};
    probe->to_ns = event.at_ns;
    probe->outcome = event.type;
    probe->waited_ns = event.value[0];
  }
  for (auto& [key, state] : keys) {
    if (IsOnOneNode(history.facts) && BlocksNobody(state)) state.outlasting.reset();
  }
  return keys;
}

int64_t CountUnprobedKeys(const Evidence& evidence) {
  const auto probed = ReadKeyStates(evidence.history());
  std::set<uint16_t> granted;
  for (const Hold& hold : evidence.holds().all) granted.insert(hold.key);
  return std::ranges::count_if(granted, [&](uint16_t key) {
    const auto found = probed.find(key);
    return found == probed.end() || !(found->second.probe || found->second.outlasting);
  });
}

}  // namespace doublehold
