#include "checker/claims/lock/sole_holders.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace doublehold {
namespace {

std::optional<Span> DelayOf(const Evidence& evidence, const Call& call) {
  return evidence.disturbed().DelayOf({call.session.client, call.key}, {call.from_ns, call.to_ns});
}

// When a granted acquire may have had the key at first.
int64_t GrantedNs(const Evidence& evidence, const Call& call) {
  const auto delay = DelayOf(evidence, call);
  return delay ? std::max(call.from_ns, delay->from_ns) : call.to_ns;
}

// When an acquire of unknown outcome has certainly lost the key. `release`: of its hold, or null.
int64_t UnknownEndNs(const Evidence& evidence, const Possession& unknown, const Call* release) {
  const Call& call = *unknown.acquire;
  const auto delay = DelayOf(evidence, call);
  const int64_t arrived_ns = delay ? std::max(call.to_ns, delay->to_ns) : call.to_ns;
  int64_t end_ns = unknown.may.to_ns;
  const Grants& others = evidence.grants().at(call.key).exclusive;
  const Call* other = others.FirstAfter(arrived_ns);
  while (other != nullptr && other->session == call.session)
    other = others.FirstAfter(other->to_ns);
  if (other != nullptr) end_ns = std::min(end_ns, other->to_ns);
  if (release == nullptr) return end_ns;
  const Span when{release->from_ns, release->to_ns};
  const bool came_later = IsOnOneNode(evidence.facts()) && Before(arrived_ns, when.from_ns);
  const bool freed_it = release->Ok() && release->answer[0] == 0 &&
                        !evidence.possessions().at(call.key).Meets(call.session, when, &call);
  return came_later || freed_it ? std::min(end_ns, when.to_ns) : end_ns;
}

KeyTimeline FindHolders(const Evidence& evidence, uint16_t key) {
  std::vector<Possession> found;
  for (Possession each : evidence.possessions().at(key).all()) {
    if (each.acquire->outcome == EventType::kInfo) continue;
    if (each.acquire->Ok()) each.may.from_ns = GrantedNs(evidence, *each.acquire);
    found.push_back(each);
  }
  return KeyTimeline(std::move(found));
}

KeyTimeline FindUnknown(const Evidence& evidence, uint16_t key) {
  std::vector<Possession> found;
  for (Possession each : evidence.possessions().at(key).all()) {
    if (each.acquire->outcome != EventType::kInfo) continue;
    each.may.to_ns = UnknownEndNs(evidence, each, evidence.calls().ReleaseOf(each.acquire->hold));
    found.push_back(each);
  }
  return KeyTimeline(std::move(found));
}

KeyTimeline FindAcquires(const std::vector<const Call*>& calls) {
  std::vector<Possession> found;
  for (const Call* call : calls) {
    if (call->op == Op::kAcquire) found.push_back({call, {call->from_ns, call->to_ns}});
  }
  return KeyTimeline(std::move(found));
}

}  // namespace

SoleHolders::SoleHolders(const std::vector<const Call*>& calls, const Evidence& evidence)
    : evidence_(evidence),
      grants_(evidence.grants().at(calls.front()->key)),
      copies_(evidence.second_copies().at(calls.front()->key)),
      holders_(FindHolders(evidence, calls.front()->key)),
      unknown_(FindUnknown(evidence, calls.front()->key)),
      asking_(FindAcquires(IsOnOneNode(evidence.facts()) ? std::vector<const Call*>{} : calls)) {}

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
