#include "checker/claims/lock/sole_holders.h"

#include <algorithm>
#include <tuple>

namespace doublehold {

SoleHolders::SoleHolders(const std::vector<const Call*>& calls, const Evidence& evidence,
                         const Refusals& refusals)
    : disturbances_(evidence.disturbances()),
      refusals_(refusals),
      copies_(evidence.second_copies().at(calls.front()->key)) {
  for (const Call* call : calls) {
    if (call->op != Op::kAcquire || call->outcome == EventType::kFail) continue;
    if (call->hold != 0) acquires_[call->hold] = call;
    if (call->Ok()) continue;
    const auto disturbed = refusals_.DisturbanceOf(*call, {call->from_ns, call->to_ns});
    latest_arrival_[call] = disturbed ? std::max(call->to_ns, disturbed->to_ns) : call->to_ns;
  }
  for (const Moment& moment : ListMoments(calls)) {
    Handle(moment);
    NoteSoleHolder(moment.at_ns);
  }
}

std::vector<SoleHolders::Moment> SoleHolders::ListMoments(
    const std::vector<const Call*>& calls) const {
  std::vector<Moment> moments;
  for (const Call* call : calls) {
    moments.push_back({call->from_ns, What::kInvoked, call});
    if (call->to_ns < kForeverNs) moments.push_back({call->to_ns, What::kAnswered, call});
    if (call->op != Op::kAcquire) continue;
    int64_t may_hold_ns = call->from_ns;
    if (call->outcome == EventType::kFail && !call->AsksForSeveralKeys()) continue;
    if (call->Ok()) {
      const auto disturbed = refusals_.DisturbanceOf(*call, {call->from_ns, call->to_ns});
      may_hold_ns = disturbed ? std::max(call->from_ns, disturbed->from_ns) : call->to_ns;
    }
    moments.push_back({may_hold_ns, What::kMayHold, call});
  }
  for (const FaultEpisode& episode : disturbances_.episodes) {
    const FaultFact& fault = FaultFor(disturbances_.facts, episode);
    if (!LosesData(fault) || ActsOnStoreAlone(episode, fault)) continue;
    moments.push_back({episode.from_ns, What::kOlderData, nullptr});
    moments.push_back({episode.to_ns, What::kOlderData, nullptr});
  }
  std::ranges::stable_sort(moments, {}, [](const Moment& m) { return std::pair(m.at_ns, m.what); });
  return moments;
}

void SoleHolders::Handle(const Moment& moment) {
  switch (moment.what) {
    case What::kOlderData:
      older_data_ns_ = moment.at_ns;
      break;
    case What::kMayHold: {
      const bool unknown = moment.call->outcome == EventType::kInfo;
      (unknown ? unknown_ : holding_)[moment.call->session].insert(moment.call);
      break;
    }
    case What::kInvoked:
      HandleInvocation(*moment.call);
      break;
    case What::kAnswered:
      HandleAnswer(*moment.call);
      break;
  }
}

void SoleHolders::HandleInvocation(const Call& call) {
  const bool holds = holding_.contains(call.session);
  if (call.op == Op::kRelease && holds) nested_.insert(&call);
  if (call.op != Op::kAcquire || disturbances_.facts.nodes <= 1) return;
  for (const Call* other : asking_) {
    if (other->session == call.session) continue;
    crowded_.insert(other);
    crowded_.insert(&call);
  }
  asking_.insert(&call);
}

void SoleHolders::HandleAnswer(const Call& call) {
  asking_.erase(&call);
  if (call.op == Op::kRelease) return HandleRelease(call);
  if (call.outcome == EventType::kFail) return Erase(holding_, call);
  if (call.Ok() && !call.again && call.answer[2] == 0) HandleExclusiveGrant(call);
}

void SoleHolders::HandleRelease(const Call& release) {
  const auto found = acquires_.find(release.hold);
  if (release.outcome == EventType::kInfo || found == acquires_.end()) return;
  const Call& acquire = *found->second;
  if (acquire.Ok()) return Erase(holding_, acquire);
  const auto unknown = unknown_.find(acquire.session);
  const bool freed_it = release.Ok() && release.answer[0] == 0 && unknown != unknown_.end() &&
                        unknown->second.size() == 1 && !nested_.contains(&release) &&
                        !hidden_.contains(acquire.session);
  const bool arrived_before =
      disturbances_.facts.nodes <= 1 && Before(latest_arrival_.at(&acquire), release.from_ns);
  if (freed_it || arrived_before) Erase(unknown_, acquire);
}

void SoleHolders::HandleExclusiveGrant(const Call& grant) {
  if (older_data_ns_ && Before(*older_data_ns_, grant.from_ns)) older_data_ns_.reset();
  const auto erase_if = [](CallsOfSessions& calls, const auto& ended) {
    for (auto& [session, of_session] : calls) std::erase_if(of_session, ended);
    std::erase_if(calls, [](const auto& of_session) { return of_session.second.empty(); });
  };
  erase_if(holding_, [&grant](const Call* call) {
    return call->session != grant.session && Before(call->to_ns, grant.from_ns);
  });
  erase_if(unknown_, [&](const Call* call) {
    const bool ended = Before(latest_arrival_.at(call), grant.from_ns);
    if (ended && call->session == grant.session) hidden_.insert(call->session);
    return ended;
  });
}

void SoleHolders::Erase(CallsOfSessions& calls, const Call& call) {
  const auto of_session = calls.find(call.session);
  if (of_session == calls.end()) return;
  of_session->second.erase(&call);
  if (of_session->second.empty()) calls.erase(of_session);
}

void SoleHolders::NoteSoleHolder(int64_t at_ns) {
  std::optional<SessionId> sole;
  if (holding_.size() == 1 && unknown_.empty() && !older_data_ns_) sole = holding_.begin()->first;
  const bool goes_on = !found_.empty() && found_.back().when.to_ns == kForeverNs;
  if (goes_on && sole == found_.back().session) return;
  if (goes_on) found_.back().when.to_ns = at_ns;
  if (sole) found_.push_back({*sole, {at_ns, kForeverNs}});
}

const SoleHolders::Sole* SoleHolders::FindSole(const Span& when) const {
  const auto after = std::ranges::lower_bound(found_, when.from_ns, {},
                                              [](const Sole& sole) { return sole.when.from_ns; });
  if (after == found_.begin()) return nullptr;
  const Sole& sole = *std::prev(after);
  return Before(when.to_ns, sole.when.to_ns) && !copies_.Meets(when) ? &sole : nullptr;
}

bool SoleHolders::IsSoleHolder(const SessionId& session, const Span& when) const {
  const Sole* sole = FindSole(when);
  return sole != nullptr && sole->session == session;
}

std::optional<SessionId> SoleHolders::FindHolderDuring(const Call& refused) const {
  const Sole* sole = FindSole({refused.from_ns, refused.to_ns});
  if (sole == nullptr || crowded_.contains(&refused)) return std::nullopt;
  return sole->session;
}

}  // namespace doublehold
