#include "checker/last_exit.h"

#include <algorithm>
#include <map>
#include <utility>

namespace doublehold {
namespace {

class ExitGaps {
 public:
  explicit ExitGaps(const Scene& scene) : scene_(scene) {}

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
    if (call.outcome != EventType::kFail) return;
    if (MayHaveRunTwice(call)) taken_until_ns_ = call.to_ns + ToNs(scene_.facts.lease);
    if (call.answer[0] > 0) Refused(call);
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

  // What an acquire of unknown outcome had taken was freed, so it was carried out. But where its
  // session had entered before, perhaps or certainly, that may be what was freed, and the acquire is
  // still to come.
  void Resolve(const Call& release) {
    const auto acquire = unknown_.find(release.hold);
    if (release.hold == 0 || acquire == unknown_.end() || acquire->second->again) return;
    const auto of_session = std::ranges::count_if(
        unknown_, [&](const auto& unknown) { return unknown.second->session == release.session; });
    if (of_session != 1) return;
    LeaveQueue(*acquire->second);
    unknown_.erase(acquire);
  }

  // Who was granted the key stands in no queue, but for what it asked for since: at the same instant, perhaps.
  void LeaveQueue(const Call& acquire) {
    const auto last = asked_.find(acquire.session);
    if (last != asked_.end() && last->second == &acquire) asked_.erase(last);
  }

  void Granted(const Call& grant) {
    LeaveQueue(grant);
    // Whoever was granted the key before, and let nobody in beside it, is gone.
    if (grant.again || grant.answer[2] != 0) return;
    std::erase_if(in_the_way_, [&grant](const auto& held) {
      return held.second->session != grant.session && Before(held.second->to_ns, grant.from_ns);
    });
  }

  // It may have taken the key, and have been refused that when it was sent again.
  [[nodiscard]] bool MayHaveRunTwice(const Call& refused) const {
    const Span during{refused.from_ns, refused.to_ns};
    return WasActiveOn(scene_, refused.session.client, during, KeepsMessages) ||
           WasActiveOn(scene_, refused.session.client, during, LosesMessages);
  }

  void Refused(const Call& refused) {
    if (last_exit_ == nullptr || !in_the_way_.empty() || !unknown_.empty()) return;
    if (!Before(last_exit_->to_ns, refused.from_ns)) return;
    if (WasActive(scene_, {0, refused.to_ns}, LosesData)) return;
    const bool alone = asked_.size() == 1 && asked_.contains(refused.session) &&
                       Before(taken_until_ns_, refused.from_ns);
    if (refusal_.refused == nullptr || (alone && !refusal_.certain)) {
      refusal_ = {.refused = &refused, .last_exit = last_exit_, .certain = alone};
    }
  }

  // The gap, if there was one, ends; until `until_ns` nobody is known to have been granted the key.
  void Close(int64_t until_ns) {
    const bool lasted =
        last_exit_ != nullptr && until_ns - last_exit_->to_ns >= ToNs(scene_.facts.lease);
    if (refusal_.refused != nullptr && (refusal_.certain || lasted)) found_.push_back(refusal_);
    refusal_ = {};
    last_exit_ = nullptr;
  }

  const Scene& scene_;
  std::map<uint64_t, const Call*> in_the_way_;  // holds that were not seen to end
  std::map<uint64_t, const Call*> unknown_;     // acquires of unknown outcome, by hold
  std::map<SessionId, const Call*> asked_;  // its last acquire; it was not granted the key since
  const Call* last_exit_ = nullptr;         // null: no gap
  int64_t taken_until_ns_ = -1;             // perhaps, by one that was refused it
  Refusal refusal_;
  std::vector<Refusal> found_;
};

}  // namespace

std::vector<Refusal> RefusalsOfAFreeKey(const std::vector<const Call*>& calls, const Scene& scene) {
  struct Moment {
    int64_t at_ns = 0;
    bool answer = false;  // after the invocations of the same instant: those may end a gap
    const Call* call = nullptr;
  };
  std::vector<Moment> moments;
  for (const Call* call : calls) {
    moments.push_back({call->from_ns, false, call});
    if (call->to_ns < kForeverNs) moments.push_back({call->to_ns, true, call});
  }
  std::ranges::stable_sort(moments, {},
                           [](const Moment& m) { return std::pair(m.at_ns, m.answer); });
  ExitGaps gaps(scene);
  for (const Moment& moment : moments) {
    if (moment.answer) gaps.Answered(*moment.call);
    if (!moment.answer) gaps.Invoked(*moment.call);
  }
  return std::move(gaps).Finish(moments.empty() ? 0 : moments.back().at_ns);
}

}  // namespace doublehold
