#include "checker/claims/lock/last_exit.h"

#include <algorithm>
#include <map>
#include <utility>

namespace doublehold {
namespace {

class ExitGaps {
 public:
  explicit ExitGaps(const Disturbances& disturbances) : disturbances_(disturbances) {}

  void Invoked(const Call& call) {
    if (call.op != Op::kAcquire) return;
    asked_[call.session] = &call;
    if (call.outcome == EventType::kFail) return;
    Close(call.Ok() ? call.to_ns : call.from_ns);
    if (call.Ok()) in_the_way_[call.hold] = &call;
    if (!call.Ok()) unknown_[call.hold] = &call;
  }

  void Answered(const Call& call) {
    if (call.op == Op::kRelease) return Released(call);
    if (call.Ok()) Granted(call);
    NoteSecondCopy(call);
    if (call.outcome == EventType::kFail && call.answer[0] > 0) Refused(call);
  }

  std::vector<Refusal> Finish(int64_t end_ns) && {
    Close(end_ns);
    return std::move(found_);
  }

 private:
  void Released(const Call& release) {
    if (release.outcome == EventType::kInfo) return;
    in_the_way_.erase(release.hold);
    if (release.Ok() && release.answer[0] == 0) Resolve(release);
    const bool free = in_the_way_.empty() && unknown_.empty();
    if (free && last_exit_ == nullptr) last_exit_ = &release;
  }

  // The release of an acquire of unknown outcome freed something, so that acquire was carried out.
  // But if its session may have entered before, the release may have freed that entry, and the
  // acquire may still take effect.
  void Resolve(const Call& release) {
    const auto acquire = unknown_.find(release.hold);
    if (release.hold == 0 || acquire == unknown_.end() || acquire->second->again) return;
    const auto of_session = std::ranges::count_if(
        unknown_, [&](const auto& unknown) { return unknown.second->session == release.session; });
    const bool is_inside = std::ranges::any_of(
        in_the_way_, [&](const auto& held) { return held.second->session == release.session; });
    if (of_session != 1 || is_inside) return;
    LeaveQueue(*acquire->second);
    unknown_.erase(acquire);
  }

  // A session that was granted the key leaves the queue, unless it has acquired again since,
  // perhaps at the same instant.
  void LeaveQueue(const Call& acquire) {
    const auto last = asked_.find(acquire.session);
    if (last != asked_.end() && last->second == &acquire) asked_.erase(last);
  }

  void Granted(const Call& grant) {
    LeaveQueue(grant);
    // An exclusive grant proves that earlier holders are gone.
    if (grant.again || grant.answer[2] != 0) return;
    std::erase_if(in_the_way_, [&grant](const auto& held) {
      return held.second->session != grant.session && Before(held.second->to_ns, grant.from_ns);
    });
  }

  // Notes a possible second copy of an acquire, which may have taken the key whatever the first
  // copy returned. Either a fault delayed a copy, or the library retried after a lost message. A
  // granted acquire is not retried.
  void NoteSecondCopy(const Call& acquire) {
    for (const FaultEpisode* episode :
         disturbances_.EpisodesWithin({acquire.from_ns, acquire.to_ns})) {
      const FaultFact& fault = FaultFor(disturbances_.facts, *episode);
      if (episode->client > 0 && episode->client != acquire.session.client) continue;
      if (ActsOnStore(*episode, fault)) continue;
      if (!KeepsMessages(fault) && (acquire.Ok() || !LosesMessages(fault))) continue;
      const int64_t lease_ns = std::max(ToNs(disturbances_.facts.lease), acquire.asked[0]);
      taken_until_ns_ =
          std::max(taken_until_ns_, std::max(acquire.to_ns, episode->to_ns) + lease_ns);
    }
  }

  void Refused(const Call& refused) {
    if (last_exit_ == nullptr || !in_the_way_.empty() || !unknown_.empty()) return;
    if (!Before(last_exit_->to_ns, refused.from_ns)) return;
    if (WasActive(disturbances_, {0, refused.to_ns}, LosesData)) return;
    const bool taken = !Before(taken_until_ns_, refused.from_ns);
    const bool certain = asked_.size() == 1 && asked_.contains(refused.session) && !taken;
    if (refusal_.refused == nullptr || (certain && !refusal_.certain)) {
      refusal_ = {
          .refused = &refused, .last_exit = last_exit_, .certain = certain, .perhaps_taken = taken};
    }
  }

  // Ends the gap, if there was one. Until `until_ns` no grant is known.
  void Close(int64_t until_ns) {
    const bool lasted =
        last_exit_ != nullptr && until_ns - last_exit_->to_ns >= ToNs(disturbances_.facts.lease);
    if (refusal_.refused != nullptr && (refusal_.certain || lasted)) found_.push_back(refusal_);
    refusal_ = {};
    last_exit_ = nullptr;
  }

  const Disturbances& disturbances_;
  std::map<uint64_t, const Call*> in_the_way_;  // holds that were not seen to end
  std::map<uint64_t, const Call*> unknown_;     // acquires of unknown outcome, by hold
  // Last acquire of each session that was not granted the key since.
  std::map<SessionId, const Call*> asked_;
  const Call* last_exit_ = nullptr;  // null: no gap
  int64_t taken_until_ns_ = -1;      // may be taken until then, by an acquire that was sent twice
  Refusal refusal_;
  std::vector<Refusal> found_;
};

}  // namespace

std::vector<Refusal> RefusalsOfAFreeKey(const std::vector<const Call*>& calls,
                                        const Disturbances& disturbances) {
  struct Moment {
    int64_t at_ns = 0;
    bool answer = false;  // sorts after invocations of the same instant, which may end a gap
    const Call* call = nullptr;
  };
  std::vector<Moment> moments;
  for (const Call* call : calls) {
    moments.push_back({call->from_ns, false, call});
    if (call->to_ns < kForeverNs) moments.push_back({call->to_ns, true, call});
  }
  std::ranges::stable_sort(moments, {},
                           [](const Moment& m) { return std::pair(m.at_ns, m.answer); });
  ExitGaps gaps(disturbances);
  for (const Moment& moment : moments) {
    if (moment.answer) gaps.Answered(*moment.call);
    if (!moment.answer) gaps.Invoked(*moment.call);
  }
  return std::move(gaps).Finish(moments.empty() ? 0 : moments.back().at_ns);
}

}  // namespace doublehold
