#include "checker/evidence/lease_ends.h"

#include <algorithm>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/library.h"

namespace doublehold {

LeaseEnds::LeaseEnds(const Evidence& evidence)
    : may_extend_unrecorded_(MayExtendUnrecorded(evidence.facts())) {
  const Disturbances& disturbances = evidence.disturbances();
  const auto note_exit = [&](int32_t client, int64_t at_ns) {
    int64_t& gone_ns = gone_ns_.try_emplace(client, at_ns).first->second;
    gone_ns = std::min(gone_ns, at_ns);
  };
  for (const FaultEpisode& episode : disturbances.episodes) {
    if (IsCrash(FaultFor(disturbances.facts, episode))) note_exit(episode.client, episode.to_ns);
  }
  for (const Event& event : evidence.history().events) {
    if (event.op == Op::kDied) note_exit(event.client, event.at_ns);
    if (event.op == Op::kRelease && event.type == EventType::kInfo)
      gave_up_ns_.emplace(event.hold, event.at_ns);
    if (event.op != Op::kExtend) continue;
    Extensions& of_hold = extensions_[event.hold];
    if (event.type == EventType::kInvoke) {
      of_hold.asked_ns = event.at_ns;
      of_hold.lease_ns = event.value[0];
    }
    of_hold.open = event.type == EventType::kInvoke;
    if (event.type == EventType::kInfo) {
      of_hold.unknown_lease_ns = std::max(of_hold.unknown_lease_ns, of_hold.lease_ns);
      of_hold.unknown_ns = event.at_ns;
    }
    if (event.type == EventType::kOk) {
      const int64_t until_ns = std::max(Later(event.at_ns, of_hold.lease_ns),
                                        Later(event.value[0], event.at_ns - of_hold.asked_ns));
      of_hold.until_ns = std::max(of_hold.until_ns, until_ns);
    }
  }
}

int64_t LeaseEnds::GoneNs(int32_t client) const {
  const auto gone = gone_ns_.find(client);
  return gone == gone_ns_.end() ? kForeverNs : gone->second;
}

int64_t LeaseEnds::LikelyNs(const Call& call) const {
  int64_t gone_ns = GoneNs(call.session.client);
  if (!call.Ok()) return Later(std::min(call.to_ns, gone_ns), call.asked[0]);
  const auto given_up = gave_up_ns_.find(call.hold);
  if (given_up != gave_up_ns_.end()) gone_ns = std::min(gone_ns, given_up->second);
  return LatestNs(call, call.to_ns, gone_ns);
}

int64_t LeaseEnds::LatestNs(const Call& call) const {
  const int64_t end_ns = LatestNs(call, kForeverNs, kForeverNs);
  return end_ns >= kForeverNs ? kNeverNs : end_ns;
}

int64_t LeaseEnds::LatestNs(const Call& call, int64_t arrival_ns, int64_t gone_ns) const {
  const int64_t lease_ns = call.asked[0];
  const bool for_ever = call.answer[0] >= kForeverNs;
  int64_t end_ns = Later(call.to_ns, lease_ns);
  if (!for_ever) end_ns = std::max(end_ns, Later(call.answer[0], call.to_ns - call.from_ns));
  const auto extend = [&](int64_t at_ns, int64_t by_ns) {
    end_ns = std::max(end_ns, Later(std::max(at_ns, arrival_ns), by_ns));
  };
  if (may_extend_unrecorded_ || for_ever) extend(gone_ns, lease_ns);
  const auto found = extensions_.find(call.hold);
  if (found == extensions_.end()) return end_ns;
  const Extensions& of_hold = found->second;
  if (of_hold.until_ns >= kForeverNs)
    extend(gone_ns, std::max(lease_ns, of_hold.lease_ns));
  else
    end_ns = std::max(end_ns, of_hold.until_ns);
  if (of_hold.unknown_lease_ns >= 0)
    extend(of_hold.unknown_ns, std::max(lease_ns, of_hold.unknown_lease_ns));
  if (of_hold.open) extend(of_hold.asked_ns, std::max(lease_ns, of_hold.lease_ns));
  return end_ns;
}

}  // namespace doublehold
