#include "checker/evidence/possession.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "checker/evidence/evidence.h"

namespace doublehold {
namespace {

class KeyAcquires {
 public:
  explicit KeyAcquires(const Evidence& evidence) : evidence_(evidence) {}

  void Add(const Call& call) {
    of_session_[call.session].push_back(&call);
    if (call.outcome == EventType::kInfo || evidence_.renewals().MayExtendLater(call.hold))
      first_unknown_ns_.try_emplace(call.session, call.from_ns);
    // A refused acquire of several keys may have had this key until its refusal.
    if (call.op == Op::kAcquire && (call.outcome != EventType::kFail || call.AsksForSeveralKeys()))
      acquires_.push_back(&call);
  }

  [[nodiscard]] KeyTimeline Find() const {
    std::vector<Possession> all;
    for (size_t i = 0; i < acquires_.size(); ++i) {
      const Call& call = *acquires_[i];
      const int64_t end_ns = call.Ok()                          ? GrantEndNs(i)
                             : call.outcome == EventType::kFail ? call.to_ns
                                                                : UnknownEndNs(call);
      all.push_back({&call, {call.from_ns, end_ns}, std::min(end_ns, LikelyEndNs(i))});
    }
    return KeyTimeline(std::move(all));
  }

 private:
  [[nodiscard]] int64_t GrantEndNs(size_t index) const {
    const Call& call = *acquires_[index];
    const Call* release = evidence_.calls().ReleaseOf(call.hold);
    const bool answered = release != nullptr;
    const bool ended = answered && (release->Ok() || IsOnOneNode(evidence_.facts()));
    int64_t end_ns = evidence_.lease_ends().LatestNs(call);
    if (ended)
      end_ns = std::min(end_ns, release->to_ns);
    else if (answered)
      end_ns = std::max(end_ns, release->to_ns);
    const auto later = std::span(acquires_).subspan(index + 1);
    const auto within_lease = std::ranges::upper_bound(later, end_ns, {}, &Call::from_ns);
    const bool asks_again = std::any_of(
        later.begin(), within_lease, [&](const Call* own) { return own->session == call.session; });
    const bool is_reader = call.answer[2] != 0;
    const bool moved = evidence_.disturbed().MayMoveClocks({call.from_ns, end_ns}).has_value();
    if (is_reader || moved || asks_again ||
        (MayBeReentrant(evidence_.facts()) && HasEntryBefore(call)))
      end_ns = ended ? release->to_ns : kNeverNs;
    for (const Call* acquire : later) {
      const Call& other = *acquire;
      if (other.from_ns > end_ns) break;
      const bool is_own = other.session == call.session;
      const bool exclusive = other.Ok() && other.answer[2] == 0 && !other.again;
      // A session that was active at the new grant, or later, may still have its lock.
      const bool after =
          Before(call.to_ns, other.from_ns) && Before(LastActiveNs(call), other.to_ns);
      if (!is_own && exclusive && after) return std::min(end_ns, other.to_ns);
    }
    return end_ns;
  }

  // Whether the session may have another entry, whose calls set the lease of all entries again.
  [[nodiscard]] bool HasEntryBefore(const Call& call) const {
    const auto unknown = first_unknown_ns_.find(call.session);
    return call.again || (unknown != first_unknown_ns_.end() && unknown->second < call.from_ns);
  }

  [[nodiscard]] int64_t LastActiveNs(const Call& call) const {
    const Hold* hold = evidence_.holds().Find(call.hold);
    return hold == nullptr ? kNeverNs : hold->core.to_ns;
  }

  [[nodiscard]] int64_t UnknownEndNs(const Call& call) const {
    const Call* freed = evidence_.calls().ReleaseOf(call.hold);
    if (!IsOnOneNode(evidence_.facts()) || freed == nullptr) return kNeverNs;
    if (!freed->Ok() || freed->answer[0] != 0) return kNeverNs;
    // The release may have freed another entry of the session.
    const bool has_another = std::ranges::any_of(acquires_, [&](const Call* other) {
      return other != &call && other->session == call.session && other->from_ns <= freed->to_ns &&
             !WasOver(*other, freed->from_ns);
    });
    return has_another ? kNeverNs : freed->to_ns;
  }

  // Each call of the session may have set a full lease again until it released the hold, unless
  // the call was refused.
  [[nodiscard]] int64_t LikelyEndNs(size_t index) const {
    const Call& call = *acquires_[index];
    int64_t end_ns = evidence_.lease_ends().LikelyNs(call);
    const std::vector<const Call*>& own = of_session_.at(call.session);
    auto later = std::ranges::upper_bound(own, call.from_ns, {}, &Call::from_ns);
    for (; later != own.end() && (*later)->from_ns <= end_ns; ++later) {
      if ((*later)->op == Op::kRelease && (*later)->hold == call.hold) break;
      if ((*later)->outcome == EventType::kFail) continue;
      const int64_t last_ns = (*later)->to_ns < kForeverNs ? (*later)->to_ns : (*later)->from_ns;
      end_ns = std::max(end_ns, Later(last_ns, call.asked[0]));
    }
    return end_ns;
  }

  // Whether an acquire that may have been granted was over before `at_ns`: it had been released, or
  // refused, or its lease had ended.
  [[nodiscard]] bool WasOver(const Call& acquire, int64_t at_ns) const {
    if (acquire.outcome == EventType::kFail) return Before(acquire.to_ns, at_ns);
    const Call* release = evidence_.calls().ReleaseOf(acquire.hold);
    const bool released =
        release != nullptr && (acquire.Ok() || release->Ok()) && Before(release->to_ns, at_ns);
    return released || (acquire.Ok() && Before(evidence_.lease_ends().LatestNs(acquire), at_ns));
  }

  const Evidence& evidence_;
  std::vector<const Call*> acquires_;                         // acquires that may have been granted
  std::map<SessionId, std::vector<const Call*>> of_session_;  // all calls, by invocation
  // When the first call began that is of unknown outcome, or has such an extension.
  std::map<SessionId, int64_t> first_unknown_ns_;
};

}  // namespace

KeyTimeline::KeyTimeline(std::vector<Possession> all) : all_(std::move(all)) {
  std::ranges::stable_sort(all_, {}, [](const Possession& each) { return each.may.from_ns; });
  const Possession* runner_up = nullptr;
  for (const Possession& each : all_) {
    const Possession* before = of_all_.longest.empty() ? nullptr : of_all_.longest.back();
    of_all_.Add(each);
    const Possession* longest = of_all_.longest.back();
    const Possession* loser = longest == &each ? before : &each;
    const bool is_other = loser != nullptr && loser->acquire->session != longest->acquire->session;
    if (runner_up != nullptr && runner_up->acquire->session == longest->acquire->session)
      runner_up = nullptr;
    if (is_other && (runner_up == nullptr || runner_up->may.to_ns < loser->may.to_ns))
      runner_up = loser;
    runner_up_.push_back(runner_up);
    of_session_[each.acquire->session].Add(each);
  }
}

void KeyTimeline::Entries::Add(const Possession& each) {
  const bool is_longest = longest.empty() || longest.back()->may.to_ns < each.may.to_ns;
  longest.push_back(is_longest ? &each : longest.back());
  entries.push_back(&each);
}

const Possession* KeyTimeline::Entries::Find(const Span& when, const Call* except) const {
  const auto after = std::ranges::upper_bound(
      entries, when.to_ns, {}, [](const Possession* each) { return each->may.from_ns; });
  auto i = static_cast<size_t>(after - entries.begin());
  const auto meets = [&](const Possession& each) { return each.may.to_ns >= when.from_ns; };
  // `except` can only be among the last entries.
  for (; i > 0 && except != nullptr && entries[i - 1]->may.from_ns >= except->from_ns; --i) {
    if (entries[i - 1]->acquire != except && meets(*entries[i - 1])) return entries[i - 1];
  }
  return i > 0 && meets(*longest[i - 1]) ? longest[i - 1] : nullptr;
}

bool KeyTimeline::Meets(int32_t client, const Span& when) const {
  auto own = of_session_.lower_bound({.client = client});
  for (; own != of_session_.end() && own->first.client == client; ++own) {
    if (own->second.Find(when, nullptr) != nullptr) return true;
  }
  return false;
}

const Possession* KeyTimeline::FindOf(const SessionId& session, const Span& when,
                                      const Call* except) const {
  const auto own = of_session_.find(session);
  return own == of_session_.end() ? nullptr : own->second.Find(when, except);
}

const Possession* KeyTimeline::FindOther(const SessionId& session, const Span& when) const {
  const auto after = std::ranges::upper_bound(
      all_, when.to_ns, {}, [](const Possession& each) { return each.may.from_ns; });
  if (after == all_.begin()) return nullptr;
  const auto i = static_cast<size_t>(after - all_.begin()) - 1;
  const Possession* other = of_all_.longest[i];
  if (other->acquire->session == session) other = runner_up_[i];
  return other != nullptr && other->may.to_ns >= when.from_ns ? other : nullptr;
}

std::optional<SessionId> KeyTimeline::Only(const Span& when) const {
  const auto after = std::ranges::upper_bound(
      all_, when.to_ns, {}, [](const Possession& each) { return each.may.from_ns; });
  if (after == all_.begin()) return std::nullopt;
  const Possession& longest = *of_all_.longest[static_cast<size_t>(after - all_.begin()) - 1];
  const SessionId session = longest.acquire->session;
  if (longest.may.to_ns < when.from_ns || FindOther(session, when) != nullptr) return std::nullopt;
  return session;
}

bool KeyTimeline::MeetsOnly(const std::set<SessionId>& sessions, const Span& when) const {
  return std::ranges::all_of(of_session_, [&](const auto& own) {
    return sessions.contains(own.first) || own.second.Find(when, nullptr) == nullptr;
  });
}

Possessions FindPossessions(const Evidence& evidence) {
  std::map<uint16_t, KeyAcquires> keys;
  for (const Call& call : evidence.calls().all) {
    if (call.op == Op::kAcquire || call.op == Op::kRelease)
      keys.try_emplace(call.key, evidence).first->second.Add(call);
  }
  Possessions found;
  for (const auto& [key, acquires] : keys) found.emplace(key, acquires.Find());
  return found;
}

Possessions FindWaits(const Evidence& evidence) {
  std::map<uint16_t, std::vector<Possession>> waits;
  std::map<std::pair<uint16_t, SessionId>, const Call*> first;  // since each session's last grant
  std::unordered_map<const Call*, int64_t> ended_ns;  // acquires of unknown outcome that are over
  for (const auto& [key, timeline] : evidence.possessions()) {
    waits[key];  // also of a key for which nobody waits
    for (const Possession& each : timeline.all()) {
      if (each.acquire->outcome == EventType::kInfo) ended_ns[each.acquire] = each.may.to_ns;
    }
  }
  const auto carried_out_ns = [&](const Call& call) {
    const auto ended = ended_ns.find(&call);
    return ended == ended_ns.end() ? kNeverNs : ended->second;
  };
  for (const Call& call : evidence.calls().all) {
    if (call.op != Op::kAcquire) continue;
    std::vector<Possession>& of_key = waits[call.key];
    if (!IsOnOneNode(evidence.facts())) {
      if (call.outcome == EventType::kFail)
        of_key.push_back({&call, {call.from_ns, Later(call.to_ns, call.asked[0])}});
      continue;
    }
    const auto waiting = first.try_emplace({call.key, call.session}, &call).first;
    const int64_t granted_ns = call.Ok() ? call.to_ns : carried_out_ns(call);
    if (granted_ns == kNeverNs) continue;
    of_key.push_back({&call, {waiting->second->from_ns, granted_ns}});
    first.erase(waiting);
  }
  for (const auto& [waiting, call] : first)
    waits[waiting.first].push_back({call, {call->from_ns, kForeverNs}});
  Possessions found;
  for (auto& [key, of_key] : waits) found.emplace(key, KeyTimeline(std::move(of_key)));
  return found;
}

std::vector<Possession> FindGrantsDuring(const KeyTimeline& timeline, const Call& acquire) {
  auto each = std::ranges::lower_bound(timeline.all(), acquire.from_ns, {},
                                       [](const Possession& p) { return p.may.from_ns; });
  std::vector<Possession> grants;
  for (; each != timeline.all().end() && each->may.from_ns <= acquire.to_ns; ++each) {
    if (!each->acquire->Ok()) return {};
    if (each->acquire->to_ns <= acquire.to_ns) grants.push_back(*each);
  }
  std::ranges::stable_sort(grants, {}, [](const Possession& p) { return p.acquire->to_ns; });
  return grants;
}

std::vector<FreeInterval> FindFreeIntervals(const Evidence& evidence, uint16_t key, Free free) {
  const int64_t probed_ns = evidence.ProbedNs(key);
  std::vector<FreeInterval> intervals;
  FreeInterval next;
  for (const Possession& each : evidence.possessions().at(key).all()) {
    if (each.may.from_ns >= probed_ns) break;
    next.when.to_ns = each.may.from_ns;
    if (next.when.from_ns < next.when.to_ns) intervals.push_back(next);
    const int64_t end_ns = free == Free::kCertainly ? each.may.to_ns : each.likely_ns;
    if (end_ns >= next.when.from_ns) next = {.when = {end_ns, kNeverNs}, .last = &each};
  }
  next.when.to_ns = probed_ns;
  if (next.when.from_ns < next.when.to_ns) intervals.push_back(next);
  return intervals;
}

}  // namespace doublehold
