#include "checker/explain/violation_context.h"

#include <algorithm>

#include "checker/claims/lock/release.h"

namespace doublehold {

ViolationContext::ViolationContext(const Evidence& of)
    : evidence(of),
      history(of.history()),
      disturbances(of.disturbances()),
      holds(of.holds()),
      calls(of.calls()) {
  bool unchecked = false;
  for (const Call& call : calls.all) {
    calls_of_[{call.op, call.key}].push_back(&call);
    if (call.op == Op::kAcquire && call.Ok()) grants_.emplace(call.hold, &call);
    unchecked = unchecked || (call.op == Op::kRelease && call.Ok() && call.answer[0] == 1);
  }
  for (const Op op : {Op::kRead, Op::kWrite, Op::kSave, Op::kLook}) {
    for (const Call& call : calls.all) {
      const Hold* hold = call.op == op ? holds.Find(call.hold) : nullptr;
      if (hold != nullptr && call.session == hold->owner()) uses_of_[call.hold].push_back(&call);
    }
  }
  ErrorAnswers errors;
  for (const Event& event : history.events) {
    errors.Add(event);
    if (event.op == Op::kOrder && event.type == EventType::kInvoke) {
      orders_[event.hold].push_back({event.at_ns, kForeverNs});
    } else if (event.op == Op::kOrder && !orders_[event.hold].empty()) {
      orders_[event.hold].back().to_ns = event.at_ns;
    }
    if (event.op != Op::kExtend) continue;
    std::vector<Renewal>& renewals = renewals_[event.hold];
    if (event.type == EventType::kInvoke) {
      renewals.push_back({.from_ns = event.at_ns});
    } else if (!renewals.empty() && renewals.back().to_ns == kForeverNs) {
      renewals.back().to_ns = event.at_ns;
      renewals.back().outcome = event.type;
      if (event.type == EventType::kInfo)
        renewals.back().why = errors.WhyUnknown(event, renewals.back().from_ns);
      renewals.back().valid_until_ns = event.value[0];
    }
  }
  if (!unchecked) return;
  // Bounds the time of the check. Releases beyond this limit count as not proved.
  constexpr size_t kMostFreed = 10'000;
  const ClaimVerdict release =
      CheckRelease(of, {.violations_told = kMostFreed, .told_of_a_hold = kMostFreed});
  for (const Violation& violation : release.violations) {
    if (!violation.second) continue;
    freed.emplace(violation.second->hold, Freed{.when = {violation.from_ns, violation.to_ns},
                                                .by = violation.first ? violation.first->hold : 0});
  }
}

const Call* ViolationContext::GrantOf(uint64_t hold) const {
  const auto found = grants_.find(hold);
  return found == grants_.end() ? nullptr : found->second;
}

const Call* ViolationContext::ReleaseOf(const Hold& hold) const {
  const std::vector<const Call*>& releases = CallsOf(Op::kRelease, hold.key);
  const auto found = std::ranges::find(releases, hold.hold, &Call::hold);
  return found == releases.end() ? nullptr : *found;
}

const std::vector<Renewal>& ViolationContext::RenewalsOf(uint64_t hold) const {
  static const std::vector<Renewal> kNone;
  const auto found = renewals_.find(hold);
  return found == renewals_.end() ? kNone : found->second;
}

const std::vector<Span>& ViolationContext::OrdersUnder(uint64_t hold) const {
  static const std::vector<Span> kNone;
  const auto found = orders_.find(hold);
  return found == orders_.end() ? kNone : found->second;
}

const FaultFact& ViolationContext::FaultOf(const FaultEpisode& episode) const {
  return history.facts.faults[static_cast<size_t>(episode.fault)];
}

const std::vector<const Call*>& ViolationContext::UsesOf(const Hold& hold) const {
  static const std::vector<const Call*> kNone;
  const auto found = uses_of_.find(hold.hold);
  return found == uses_of_.end() ? kNone : found->second;
}

const std::vector<const Call*>& ViolationContext::CallsOf(Op op, uint16_t key) const {
  static const std::vector<const Call*> kNone;
  const auto found = calls_of_.find({op, key});
  return found == calls_of_.end() ? kNone : found->second;
}

}  // namespace doublehold
