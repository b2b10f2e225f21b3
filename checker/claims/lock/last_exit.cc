#include "checker/claims/lock/last_exit.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "checker/claims/library/refusals.h"
#include "checker/evidence/second_copies.h"
#include "checker/evidence/traits.h"

namespace doublehold {
namespace {

// Whether a lock may refuse a free key because of another waiter: a fair lock has a queue, and an
// attempt at several nodes or keys may hold the key until it is refused. The history does not
// describe the lock of a library.
bool MayRefuseFreeKey(const RunFacts& facts) {
  return MayHaveQueue(facts) || LockHas(facts, LockTrait::kMajority) ||
         LockHas(facts, LockTrait::kManyKeys);
}

class ExitGaps {
 public:
  ExitGaps(const Disturbances& disturbances, const LeaseEnds& lease_ends)
      : disturbances_(disturbances), lease_ends_(lease_ends), copies_(disturbances) {}

  void HandleInvocation(const Call& call) {
    const bool acquires = call.op == Op::kAcquire;
    const bool holds =
        acquires ? call.Ok() || IsInside(call.session) : open_holds_.contains(call.hold);
    copies_.NoteCall(call, holds, IsAlone(call.session));
    NoteCall(call, call.from_ns);
    if (call.op == Op::kRelease && IsInside(call.session)) nested_.insert(call.hold);
    if (!acquires) return;
    asked_[call.session] = &call;
    if (call.outcome == EventType::kFail) return;
    CloseGap(call.Ok() ? call.to_ns : call.from_ns);
    if (call.Ok()) open_holds_[call.hold] = &call;
    if (!call.Ok()) unknown_[call.hold] = &call;
  }

  void HandleAnswer(const Call& call) {
    NoteCall(call, call.to_ns);
    if (call.op == Op::kRelease) return HandleRelease(call);
    if (call.Ok()) HandleGrant(call);
    // Another of several keys may have been the taken one.
    const bool refused = call.outcome == EventType::kFail && HasRetryHint(call);
    if (refused && !call.AsksForSeveralKeys()) HandleRefusal(call);
  }

  std::vector<Refusal> Finish(int64_t end_ns) && {
    CloseGap(end_ns);
    return std::move(found_);
  }

 private:
  // How much a refusal proves: nothing unless the gap lasted for a lease or longer, a likely
  // violation, or a certain one.
  enum class Proof : uint8_t { kIfLong, kLikely, kCertain };
  struct Candidate {
    Refusal refusal;
    Proof proof;
  };

  // The last invocation or answer of a session, and the longest lease that it asked for. Refused
  // calls do not count.
  struct LastCall {
    int64_t at_ns = 0;
    int64_t lease_ns = 0;
  };

  // A refused call extends no lease.
  void NoteCall(const Call& call, int64_t at_ns) {
    LastCall& last = last_calls_.try_emplace(call.session, at_ns).first->second;
    if (call.outcome == EventType::kFail) return;
    last.at_ns = at_ns;
    if (call.op == Op::kAcquire) last.lease_ns = std::max(last.lease_ns, call.asked[0]);
  }

  void HandleRelease(const Call& release) {
    if (release.outcome == EventType::kInfo) return;
    const bool was_free = last_exit_ != nullptr && IsCertainlyFree();
    open_holds_.erase(release.hold);
    if (release.Ok() && release.answer[0] == 0) ResolveUnknownAcquire(release);
    if (!was_free) last_exit_ = &release;
  }

  [[nodiscard]] bool IsCertainlyFree() const { return open_holds_.empty() && unknown_.empty(); }

  // Whether each hold without a known end had likely ended before `at_ns`. Each re-entry and each
  // nested exit of its session may have set a full lease again.
  [[nodiscard]] bool IsLikelyFree(int64_t at_ns) const {
    const auto ended = [&](const auto& held) {
      const LastCall& last = last_calls_.at(held.second->session);
      return Before(std::max(lease_ends_.LikelyNs(*held.second), Later(last.at_ns, last.lease_ns)),
                    at_ns);
    };
    return std::ranges::all_of(open_holds_, ended) && std::ranges::all_of(unknown_, ended);
  }

  // Handles a release that checked the owner and freed a lock. If it releases an acquire of unknown
  // outcome, that acquire was carried out and is over. Exception: if the session may have had
  // another entry since the invocation, the release may have freed that entry, and the acquire may
  // still take effect.
  void ResolveUnknownAcquire(const Call& release) {
    const auto acquire = unknown_.find(release.hold);
    if (release.hold == 0 || acquire == unknown_.end()) return;
    const auto own_unknown = std::ranges::count_if(
        unknown_, [&](const auto& unknown) { return unknown.second->session == release.session; });
    if (own_unknown != 1 || nested_.contains(release.hold)) return;
    LeaveQueue(*acquire->second);
    unknown_.erase(acquire);
  }

  [[nodiscard]] bool IsInside(const SessionId& session) const {
    return std::ranges::any_of(open_holds_,
                               [&](const auto& held) { return held.second->session == session; });
  }

  // Whether no other session may hold the key or asks for it.
  [[nodiscard]] bool IsAlone(const SessionId& session) const {
    const auto is_own = [&](const auto& held) { return held.second->session == session; };
    return std::ranges::all_of(open_holds_, is_own) && std::ranges::all_of(unknown_, is_own) &&
           std::ranges::all_of(asked_, is_own);
  }

  // Removes a granted session from the queue, unless the session has acquired again since, perhaps
  // at the same instant.
  void LeaveQueue(const Call& acquire) {
    const auto last = asked_.find(acquire.session);
    if (last != asked_.end() && last->second == &acquire) asked_.erase(last);
  }

  void HandleGrant(const Call& grant) {
    LeaveQueue(grant);
    // An exclusive grant proves that all holds granted before its invocation have ended.
    if (grant.again || grant.answer[2] != 0) return;
    copies_.NoteGrant(grant, /*queued_ns=*/std::nullopt);
    std::erase_if(open_holds_, [&grant](const auto& held) {
      return held.second->session != grant.session && Before(held.second->to_ns, grant.from_ns);
    });
  }

  void HandleRefusal(const Call& refused) {
    if (last_exit_ == nullptr || !Before(last_exit_->to_ns, refused.from_ns)) return;
    if (!IsLikelyFree(refused.from_ns)) return;
    Candidate candidate{{.refused = &refused, .last_exit = last_exit_}, Proof::kCertain};
    const auto doubt = [&candidate](std::string_view why, Proof proof = Proof::kIfLong) {
      candidate.refusal.doubt = why;
      candidate.proof = proof;
    };
    if (others_may_block_ && (asked_.size() != 1 || !asked_.contains(refused.session))) {
      refused_.insert(refused.session);
      const bool each = std::ranges::all_of(
          asked_, [this](const auto& asked) { return refused_.contains(asked.first); });
      if (each)
        doubt("the first in a queue had lost its place", Proof::kLikely);
      else
        doubt("another session was ahead in a queue");
    }
    if (copies_.MayHold(refused.from_ns)) doubt("an acquire was carried out twice");
    if (!IsCertainlyFree()) doubt("a hold without a known end still kept the key");
    if (WasActive(disturbances_, {0, refused.to_ns}, LosesData))
      doubt("a server had returned with older data");
    if (!best_ || best_->proof < candidate.proof) best_ = candidate;
  }

  // Ends the gap (reentry.h), if there is one, at `until_ns`. Reports the gap's refusal that proves
  // most, unless the gap was too short for it.
  void CloseGap(int64_t until_ns) {
    if (best_) {
      const int64_t lasted_ns = until_ns - best_->refusal.last_exit->to_ns;
      if (best_->proof != Proof::kIfLong || lasted_ns >= ToNs(disturbances_.facts.lease))
        found_.push_back(best_->refusal);
    }
    best_.reset();
    refused_.clear();
    last_exit_ = nullptr;
  }

  const Disturbances& disturbances_;
  const LeaseEnds& lease_ends_;
  const bool others_may_block_ = MayRefuseFreeKey(disturbances_.facts);
  std::map<uint64_t, const Call*> open_holds_;  // holds with no proof that they ended
  std::map<uint64_t, const Call*> unknown_;     // acquires of unknown outcome, by hold
  // The last acquire of each session, until that acquire is granted.
  std::map<SessionId, const Call*> asked_;
  std::map<SessionId, LastCall> last_calls_;
  const Call* last_exit_ = nullptr;  // null: no gap
  SecondCopies copies_;
  // Holds at whose release the session had another hold with no proof that it ended.
  std::set<uint64_t> nested_;
  std::set<SessionId> refused_;  // sessions that were refused in the gap
  std::optional<Candidate> best_;
  std::vector<Refusal> found_;
};

}  // namespace

std::vector<Refusal> FindRefusalsOfFreeKey(const std::vector<const Call*>& calls,
                                           const Disturbances& disturbances,
                                           const LeaseEnds& lease_ends) {
  struct Moment {
    int64_t at_ns = 0;
    bool answer = false;  // sorted after invocations of the same instant, which may end a gap
    const Call* call = nullptr;
  };
  std::vector<Moment> moments;
  for (const Call* call : calls) {
    moments.push_back({call->from_ns, false, call});
    if (call->to_ns < kForeverNs) moments.push_back({call->to_ns, true, call});
  }
  std::ranges::stable_sort(moments, {},
                           [](const Moment& m) { return std::pair(m.at_ns, m.answer); });
  ExitGaps gaps(disturbances, lease_ends);
  for (const Moment& moment : moments) {
    if (moment.answer) gaps.HandleAnswer(*moment.call);
    if (!moment.answer) gaps.HandleInvocation(*moment.call);
  }
  return std::move(gaps).Finish(moments.empty() ? 0 : moments.back().at_ns);
}

}  // namespace doublehold
