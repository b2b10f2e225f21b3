#include "checker/evidence/second_copies.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checker/evidence/library.h"
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
  if (stall != nullptr && IsLong(disturbances.facts, *stall)) note(stall->when.to_ns);
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
  const RunFacts& facts = disturbances_.facts;
  const bool endless = holds || LockHas(facts, LockTrait::kSession) || !LeasesEnd(facts);
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

namespace {

class CopySearch {
 public:
  CopySearch(const Calls& calls, const Disturbances& disturbances, OwnCopy own_copy)
      : calls_(calls), disturbances_(disturbances), own_copy_(own_copy) {
    // A session with an unanswered release may count itself inside, and re-enter without asking a
    // server.
    std::set<std::pair<SessionId, uint16_t>> may_be_inside;
    for (const Call& call : calls.all) {
      if (call.op == Op::kRelease && call.outcome == EventType::kInfo)
        may_be_inside.insert({call.session, call.key});
      const bool proves_end =
          call.op == Op::kAcquire && call.Ok() && !call.again && call.answer[2] == 0;
      if (proves_end && !may_be_inside.contains({call.session, call.key})) grants_.push_back(&call);
    }
    std::ranges::stable_sort(grants_, {}, &Call::to_ns);
  }

  std::set<const Call*> Find() && {
    std::set<const Call*> found;
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire && call.op != Op::kRelease && call.op != Op::kExtend) continue;
      NoteGrantsBefore(call.from_ns);
      Key& key = KeyOf(call);
      if (key.copies.MayHold(call.session, call.from_ns)) found.insert(&call);
      Note(call, key);
    }
    return found;
  }

 private:
  struct Session {
    std::set<uint64_t> held;  // granted and not released
    // Until then, the session may hold the key or ask for it. After an unanswered call: for ever.
    int64_t until_ns = -1;
    bool has_unanswered = false;
    [[nodiscard]] bool MayUseKey(int64_t at_ns) const {
      return has_unanswered || !held.empty() || !Before(until_ns, at_ns);
    }
  };
  struct Key {
    SecondCopies copies;
    std::map<SessionId, Session> sessions{};
  };

  Key& KeyOf(const Call& call) {
    return keys_.try_emplace(call.key, Key{.copies = SecondCopies(disturbances_)}).first->second;
  }

  void NoteGrantsBefore(int64_t at_ns) {
    for (; next_grant_ < grants_.size() && Before(grants_[next_grant_]->to_ns, at_ns);
         ++next_grant_) {
      const Call& grant = *grants_[next_grant_];
      KeyOf(grant).copies.NoteGrant(grant, /*queued_ns=*/std::nullopt);
    }
  }

  void Note(const Call& call, Key& key) const {
    Session& own = key.sessions[call.session];
    if (call.op == Op::kAcquire) {
      const bool alone =
          own_copy_ == OwnCopy::kReenters && calls_.complete &&
          std::ranges::none_of(key.sessions, [&](const auto& found) {
            return found.first != call.session && found.second.MayUseKey(call.from_ns);
          });
      key.copies.NoteCall(call, call.Ok() || !own.held.empty(), alone);
      if (call.Ok()) own.held.insert(call.hold);
      own.until_ns = kForeverNs;
    } else {
      key.copies.NoteCall(call, own.held.contains(call.hold));
    }
    if (call.op == Op::kRelease) {
      own.held.erase(call.hold);
      own.until_ns = call.Ok() ? call.to_ns : kForeverNs;
    }
    own.has_unanswered = own.has_unanswered || call.outcome == EventType::kInfo;
  }

  const Calls& calls_;
  const Disturbances& disturbances_;
  const OwnCopy own_copy_;
  std::vector<const Call*> grants_;  // exclusive, without re-entries, by answer
  size_t next_grant_ = 0;
  std::map<uint16_t, Key> keys_;
};

}  // namespace

std::set<const Call*> FindCallsWithSecondCopy(const Calls& calls, const Disturbances& disturbances,
                                              OwnCopy own_copy) {
  return CopySearch(calls, disturbances, own_copy).Find();
}

}  // namespace doublehold
