#include "checker/claims/library/refusals.h"

#include <algorithm>
#include <map>
#include <vector>

namespace doublehold {

std::set<const Call*> FindUnsentCalls(const Evidence& evidence) {
  if (!evidence.facts().library) return {};
  std::vector<const Call*> by_answer;
  for (const Call& call : evidence.calls().all) {
    if (call.op == Op::kAcquire || call.op == Op::kRelease) by_answer.push_back(&call);
  }
  std::ranges::stable_sort(by_answer, {}, &Call::to_ns);
  std::set<const Call*> unsent;
  std::map<SessionId, bool> busy;
  for (const Call* call : by_answer) {
    bool& is_busy = busy[call->session];
    if (call->outcome == EventType::kInfo) is_busy = true;
    if (call->Ok() || (call->outcome == EventType::kFail && HasRetryHint(*call))) is_busy = false;
    if (is_busy) unsent.insert(call);
  }
  return unsent;
}

Refusals::Refusals(const Evidence& evidence)
    : disturbances_(evidence.disturbances()), unsent_(FindUnsentCalls(evidence)) {
  for (const FaultEpisode& episode : disturbances_.episodes) {
    const FaultFact& fault = FaultFor(disturbances_.facts, episode);
    if (IsCrash(fault) && ActsOnLockServers(episode, fault))
      server_killed_ns_ = std::min(server_killed_ns_, episode.from_ns);
  }
}

std::optional<Span> Refusals::DisturbanceOf(const Call& call, const Span& when) const {
  const RunFacts& facts = disturbances_.facts;
  const int32_t client = call.session.client;
  std::optional<Span> found;
  const auto note = [&found](const Span& span) {
    if (!found) found = span;
    found->from_ns = std::min(found->from_ns, span.from_ns);
    found->to_ns = std::max(found->to_ns, span.to_ns);
  };
  for (const FaultEpisode* episode : disturbances_.EpisodesWithin(when)) {
    if (MayDelayCall(facts, *episode, client, call.key)) note({episode->from_ns, episode->to_ns});
  }
  for (const Stall* stall : disturbances_.StallsWithin(when)) {
    if (IsLong(facts, *stall) && CanDelay(*stall, client)) note(stall->when);
  }
  return found;
}

bool Refusals::AskedTheLock(const Call& call, const Span& when) const {
  const RunFacts& facts = disturbances_.facts;
  const int64_t aftermath_ns = ToNs(facts.lease) + ToNs(facts.grace);
  return !unsent_.contains(&call) && Before(when.to_ns, server_killed_ns_) &&
         !DisturbanceOf(call, {when.from_ns - aftermath_ns, when.to_ns});
}

bool Refusals::ShowsTakenKey(const Call& refused) const {
  if (refused.AsksForSeveralKeys()) return false;  // another of its keys may have been taken
  return ReportsThatKeyIsTaken(disturbances_.facts, refused) ||
         AskedTheLock(refused, {refused.from_ns, refused.to_ns});
}

}  // namespace doublehold
