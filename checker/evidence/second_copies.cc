#include "checker/evidence/second_copies.h"

#include <algorithm>

#include "checker/evidence/stall_attribution.h"
#include "checker/evidence/traits.h"

namespace doublehold {
namespace {

bool MakesSecondCopy(const FaultFact& fault, bool granted) {
  return TraitsOf(fault).HasAny({FaultTrait::kKeepsMessages, FaultTrait::kRepeats}) ||
         (LosesMessages(fault) && !granted);
}

}  // namespace

std::optional<int64_t> SecondCopyArrivalNs(const Disturbances& disturbances, int32_t client,
                                           const Span& when, bool granted) {
  std::optional<int64_t> arrival_ns;
  const auto note = [&](int64_t delayed_until_ns) {
    arrival_ns = std::max({arrival_ns.value_or(0), when.to_ns, delayed_until_ns});
  };
  const Stall* stall = LongestStall(disturbances, client, when);
  if (stall != nullptr &&
      stall->when.to_ns - stall->when.from_ns > ToNs(disturbances.facts.grace) / 2)
    note(stall->when.to_ns);
  for (const FaultEpisode* episode : disturbances.EpisodesWithin(when)) {
    const FaultFact& fault = FaultFor(disturbances.facts, *episode);
    if (ConcernsClient(*episode, fault, client) && MakesSecondCopy(fault, granted))
      note(episode->to_ns);
  }
  return arrival_ns;
}

SecondCopies::SecondCopies(const Disturbances& disturbances)
    : disturbances_(disturbances),
      may_queue_(MayHaveQueue(disturbances.facts)),
      lease_ns_(ToNs(disturbances.facts.lease)) {}

int64_t SecondCopies::EndNs(int64_t since_ns, bool holds) const {
  const bool endless = holds || LockHas(disturbances_.facts, LockTrait::kSession);
  return endless ? kForeverNs : Later(since_ns, lease_ns_);
}

void SecondCopies::NoteCall(const Call& call, bool holds, bool alone) {
  if (MayHold(call.session, call.from_ns)) {
    int64_t& until_ns = copies_[call.session].until_ns;
    until_ns = std::max(until_ns, EndNs(call.to_ns, holds));
  }
  if (call.op != Op::kAcquire) return;
  for (auto& [session, copy] : copies_) {
    if (session != call.session && !Before(copy.arrived_ns, call.from_ns)) copy.waits = may_queue_;
  }
  lease_ns_ = std::max(lease_ns_, call.asked[0]);
  const auto arrival_ns = SecondCopyArrivalNs(disturbances_, call.session.client,
                                              {call.from_ns, call.to_ns}, call.Ok());
  if (!arrival_ns) return;
  alone = alone && !MayHold(call.from_ns);
  Copy& copy = copies_[call.session];
  copy.waits = copy.waits || (may_queue_ && !alone);
  copy.arrived_ns = std::max(copy.arrived_ns, *arrival_ns);
  copy.until_ns = std::max(copy.until_ns, EndNs(copy.arrived_ns, holds));
}

void SecondCopies::NoteGrant(const Call& grant, std::optional<int64_t> queued_ns) {
  std::erase_if(copies_, [&](const auto& found) {
    const auto& [session, copy] = found;
    const std::optional<int64_t> after_ns = copy.waits ? queued_ns : grant.from_ns;
    return session != grant.session && after_ns && Before(copy.arrived_ns, *after_ns);
  });
}

bool SecondCopies::MayHold(const SessionId& session, int64_t at_ns) const {
  const auto copy = copies_.find(session);
  return copy != copies_.end() && copy->second.MayHold(at_ns);
}

bool SecondCopies::MayHold(int64_t at_ns) const {
  return std::ranges::any_of(copies_, [&](const auto& copy) { return copy.second.MayHold(at_ns); });
}

}  // namespace doublehold
