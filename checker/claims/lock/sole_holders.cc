#include "checker/claims/lock/sole_holders.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace doublehold {
namespace {

// When a granted acquire may have had the key at first.
int64_t GrantedNs(const Evidence& evidence, const Call& call) {
  const Span when{call.from_ns, call.to_ns};
  const auto delay = evidence.disturbed().DelayOf({call.session.client, call.key}, when);
  return delay ? std::max(call.from_ns, delay->from_ns) : call.to_ns;
}

// When an acquire of unknown outcome has certainly lost the key. `release`: of its hold, or null.
int64_t UnknownEndNs(const Evidence& evidence, const Possession& unknown, const Call* release) {
  const Call& call = *unknown.acquire;
  const Span when{call.from_ns, call.to_ns};
  const auto delay = evidence.disturbed().DelayOf({call.session.client, call.key}, when);
  const int64_t arrived_ns = delay ? std::max(call.to_ns, delay->to_ns) : call.to_ns;
  int64_t end_ns = unknown.may.to_ns;
  const Grants& others = evidence.grants().at(call.key).exclusive;
  const Call* other = others.FirstAfter(arrived_ns);
  while (other != nullptr && other->session == call.session)
    other = others.FirstAfter(other->to_ns);
  if (other != nullptr) end_ns = std::min(end_ns, other->to_ns);
  if (release != nullptr && IsOnOneNode(evidence.facts()) && Before(arrived_ns, release->from_ns))
    end_ns = std::min(end_ns, release->to_ns);
  return end_ns;
}

KeyTimeline FindHolders(const Evidence& evidence, uint16_t key, bool unknown) {
  std::unordered_map<uint64_t, const Call*> released;
  for (const Call* call : evidence.calls().Of(Op::kRelease, key)) {
    if (call->outcome != EventType::kInfo) released.emplace(call->hold, call);
  }
  std::vector<Possession> found;
  for (Possession each : evidence.possessions().at(key).all()) {
    const Call& call = *each.acquire;
    if ((call.outcome == EventType::kInfo) != unknown) continue;
    const auto release = call.hold == 0 ? released.end() : released.find(call.hold);
    if (call.Ok()) each.may.from_ns = GrantedNs(evidence, call);
    if (unknown)
      each.may.to_ns =
          UnknownEndNs(evidence, each, release == released.end() ? nullptr : release->second);
    found.push_back(each);
  }
  return KeyTimeline(std::move(found));
}

KeyTimeline FindAcquires(const Evidence& evidence, uint16_t key) {
  std::vector<Possession> found;
  if (IsOnOneNode(evidence.facts())) return KeyTimeline(std::move(found));
  for (const Call* call : evidence.calls().Of(Op::kAcquire, key))
    found.push_back({call, {call->from_ns, call->to_ns}});
  return KeyTimeline(std::move(found));
}

}  // namespace

SoleHolders::SoleHolders(const Evidence& evidence, uint16_t key)
    : evidence_(evidence),
      grants_(evidence.grants().at(key)),
      copies_(evidence.second_copies().at(key)),
      holders_(FindHolders(evidence, key, false)),
      unknown_(FindHolders(evidence, key, true)),
      asking_(FindAcquires(evidence, key)) {}

std::optional<SessionId> SoleHolders::During(const Span& when) const {
  if (unknown_.Meets(when) || copies_.Meets(when)) return std::nullopt;
  const Call* last = grants_.exclusive.LastBefore(when.from_ns);
  if (evidence_.disturbed().MayReturnKeys({last == nullptr ? 0 : last->from_ns, when.to_ns}))
    return std::nullopt;
  return holders_.Only(when);
}

std::optional<SessionId> SoleHolders::During(const Call& refused) const {
  const Span when{refused.from_ns, refused.to_ns};
  return asking_.MeetsOther(refused.session, when) ? std::nullopt : During(when);
}

}  // namespace doublehold
