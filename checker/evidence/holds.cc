#include "checker/evidence/holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checker/evidence/disturbances.h"

namespace doublehold {
namespace {

class HoldExtraction {
 public:
  HoldExtraction(const RunFacts& facts, AsksAgain reading) : facts_(facts), reading_(reading) {}

  void AddEvent(const Event& event) {
    if (event.op == Op::kExtend) Extend(event);
    if (event.op == Op::kFault) RecordKill(event);
    if (event.op == Op::kLost) lost_.insert(event.client);
    // This client ended by itself, so a later kill does not prolong its holds.
    if (event.op == Op::kDied) killed_ns_.emplace(event.client, 0);
    if (event.task != TaskKind::kSession || !HasKey(event.op)) return;
    if (event.hold != 0 && IsUngranted(event))
      Break(event, fmt::format("used hold {}, which nobody was granted", event.hold));
    if (event.op == Op::kRelease) Release(event);
    if (event.op == Op::kLeave) Leave(event);
    if (event.op == Op::kWait || event.op == Op::kAcquire) Acquire(event);
    if (event.hold != 0) UndoAbandonment(event);
    last_ns_[SessionOf(event)] = event.at_ns;
  }

  Holds Finish() && {
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].ended) continue;
      holds_.all[i].left = open_[i].cut_ns.has_value();
      End(i, open_[i].cut_ns.value_or(UnreleasedEndNs(holds_.all[i].owner())));
    }
    for (size_t i = 0; i < open_.size(); ++i) {
      Hold& hold = holds_.all[i];
      if (hold.released || lost_.contains(hold.client)) continue;
      const Open& open = open_[i];
      holds_.is_ambiguous |= open.cut_ns.has_value() || open.asked_again_ns < kForeverNs;
      for (const Span& leased : open.leased) {
        if (leased.to_ns >= kForeverNs && killed_ns_.contains(hold.client)) continue;
        const Span promised{std::max(leased.from_ns, hold.core.to_ns),
                            std::min({leased.to_ns, open.asked_again_ns, open.unclear_ns})};
        if (promised.from_ns < promised.to_ns) hold.promised.push_back(promised);
      }
    }
    // Either all releases of a lock check the owner, or none does. So the answered releases show
    // whether the unanswered ones check the owner.
    for (auto* holds : {&holds_.all, &holds_.releases_of_unknown_acquires}) {
      for (Hold& hold : *holds)
        hold.harmless = hold.harmless || (hold.unanswered && owner_checked_ && !owner_unchecked_);
    }
    return std::move(holds_);
  }

 private:
  // The state of a hold until it ends.
  struct Open {
    int64_t live_from_ns = 0;
    int64_t valid_until_ns = 0;
    std::optional<int64_t> promised_ns;  // `valid_until` before the pending extension
    std::optional<int64_t> cut_ns;       // end of the hold, if it was abandoned
    // When the session acquired the key again, if it has not used this hold since then.
    int64_t asked_again_ns = kForeverNs;
    int64_t unclear_ns = kForeverNs;  // from this time on, the end of its lease is unknown
    // The spans of Hold::live, but not clipped to the core. Set at the end of the hold.
    std::vector<Span> leased{};
    bool ended = false;
  };

  // Records that the end of an abandoned hold's lease is unknown from `at_ns` on, because a release
  // or an extension was invoked at that time.
  void MakeUnclear(size_t index, int64_t at_ns) {
    open_[index].unclear_ns = std::min(open_[index].unclear_ns, at_ns);
  }

  // Whether an operation requires a hold that nobody was granted. A client may release what it was
  // perhaps granted.
  [[nodiscard]] bool IsUngranted(const Event& event) const {
    const bool releases = event.op == Op::kRelease;
    if (!releases && event.op != Op::kRead && event.op != Op::kWrite) return false;
    return !holds_.by_id.contains(event.hold) && !(releases && unknown_.contains(event.hold));
  }

  // Returns the end of a hold that is neither released nor left.
  int64_t UnreleasedEndNs(const SessionId& owner) {
    const auto killed = killed_ns_.find(owner.client);
    const bool alive_until = killed != killed_ns_.end() && !lost_.contains(owner.client);
    return std::max(last_ns_[owner], alive_until ? killed->second : 0);
  }

  // Records a kill. The fault event precedes the kill.
  void RecordKill(const Event& event) {
    const auto client = static_cast<int32_t>(event.value[2]);
    const auto fault = static_cast<size_t>(event.value[0]);
    if (fault >= facts_.faults.size() || !IsCrash(facts_.faults[fault])) return;
    if (event.type == EventType::kInvoke) {
      killed_by_last_[{event.value[0], client}] = killed_ns_.emplace(client, event.at_ns).second;
    }
    // A kill that acted on nothing removes only its own entry, not the entry of an earlier kill.
    if (DidNothing(event) && killed_by_last_[{event.value[0], client}]) killed_ns_.erase(client);
  }

  void Acquire(const Event& event) {
    if (event.op == Op::kAcquire && event.type == EventType::kInfo && event.hold != 0)
      RecordUnknownAcquire(event);
    if (event.type != EventType::kInvoke && event.type != EventType::kOk) return;
    if (event.op == Op::kWait && event.type == EventType::kOk) return;
    if (event.op == Op::kAcquire && event.type == EventType::kInvoke)
      asked_[{SessionOf(event), event.key}] = {event.at_ns, Later(event.at_ns, event.value[0])};
    if (reading_ == AsksAgain::kIsInside)
      return event.type == EventType::kOk ? Grant(event) : void();
    // The session acquires this key anew, so it has abandoned its unreleased holds of the key.
    std::vector<size_t>& left = unreleased_[{SessionOf(event), event.key}];
    for (const size_t i : left) open_[i].cut_ns = last_ns_[SessionOf(event)];
    left.clear();
    for (const size_t i : kept_[{SessionOf(event), event.key}])
      open_[i].asked_again_ns = std::min(open_[i].asked_again_ns, event.at_ns);
    if (event.type == EventType::kOk) Grant(event);
  }

  // Returns when the acquire was invoked, or the time of the grant if no invocation is recorded.
  int64_t AskedNs(const Event& granted) const {
    const auto asked = asked_.find({SessionOf(granted), granted.key});
    return asked == asked_.end() ? granted.at_ns : asked->second.from_ns;
  }

  void RecordUnknownAcquire(const Event& event) {
    const auto asked = asked_.find({SessionOf(event), event.key});
    if (asked != asked_.end()) unknown_[event.hold] = asked->second;
  }

  void Grant(const Event& event) {
    const size_t index = holds_.all.size();
    if (event.hold == 0) return Break(event, "was granted a key without a hold");
    if (!holds_.by_id.emplace(event.hold, index).second) {
      return Break(event, fmt::format("was granted hold {}, which was granted before", event.hold));
    }
    holds_.all.push_back({.client = event.client,
                          .thread = event.thread,
                          .hold = event.hold,
                          .key = event.key,
                          .shared = event.value[2] != 0,
                          .core = {event.at_ns, event.at_ns},
                          .asked_ns = AskedNs(event),
                          .granted_until_ns = event.value[0],
                          .valid_until_ns = event.value[0]});
    open_.push_back({.live_from_ns = event.at_ns, .valid_until_ns = event.value[0]});
    if (const auto early = early_.find(event.hold); early != early_.end()) {
      holds_.all[index].extended = true;
      open_[index].valid_until_ns = early->second;
    }
    if (const auto asked = early_asked_.find(event.hold); asked != early_asked_.end()) {
      Open& open = open_[index];
      open.promised_ns = open.valid_until_ns;
      open.valid_until_ns = std::min(open.valid_until_ns, asked->second);
    }
    unreleased_[{SessionOf(event), event.key}].push_back(index);
    kept_[{SessionOf(event), event.key}].push_back(index);
  }

  void Extend(const Event& event) {
    const auto found = holds_.by_id.find(event.hold);
    if (found == holds_.by_id.end()) return ExtendEarly(event);
    Open& open = open_[found->second];
    if (open.ended) {
      if (event.type == EventType::kInvoke) MakeUnclear(found->second, event.at_ns);
      if (event.type == EventType::kFail && open.promised_ns) RestoreLease(found->second);
      if (event.type == EventType::kOk) open.promised_ns.reset();
      return;
    }
    Hold& hold = holds_.all[found->second];
    hold.extended = true;
    const bool begins = event.type == EventType::kInvoke;
    if (begins) hold.tried.from_ns = event.at_ns;
    hold.tried.to_ns = begins ? kForeverNs : event.at_ns;
    hold.tried_outcome = begins ? EventType::kInfo : event.type;
    if (event.type == EventType::kInvoke && event.value[0] > 0) {
      open.promised_ns = open.valid_until_ns;
      open.valid_until_ns = std::min(open.valid_until_ns, Later(event.at_ns, event.value[0]));
    }
    // A failed extension changes nothing: the earlier `valid_until` remains in force.
    if (event.type == EventType::kFail && open.promised_ns) open.valid_until_ns = *open.promised_ns;
    if (event.type != EventType::kOk) return;
    open.promised_ns.reset();
    if (event.at_ns > open.valid_until_ns) {
      AddLiveSpan(found->second, open.valid_until_ns);
      open.live_from_ns = event.at_ns;
    }
    open.valid_until_ns = event.value[0];
  }

  // Records an extension that precedes its grant in the history. The requested lease may be in
  // force from the invocation of the extension on.
  void ExtendEarly(const Event& event) {
    if (event.type == EventType::kInvoke && event.value[0] > 0)
      early_asked_[event.hold] = Later(event.at_ns, event.value[0]);
    if (event.type == EventType::kOk) early_[event.hold] = event.value[0];
    if (event.type == EventType::kOk || event.type == EventType::kFail)
      early_asked_.erase(event.hold);
  }

  void Release(const Event& event) {
    const auto found = holds_.by_id.find(event.hold);
    if (found == holds_.by_id.end()) return ReleaseUnknownAcquire(event);
    const size_t index = found->second;
    const Hold& hold = holds_.all[index];
    if (hold.owner() != SessionOf(event) || hold.key != event.key) {
      return Break(event, fmt::format("released hold {}, which it was not granted", event.hold));
    }
    RecordReleaseOutcome(holds_.all[index], event);
    if (open_[index].ended) return MakeUnclear(index, event.at_ns);
    // If the record of the invocation was lost, the release was invoked after the session's
    // previous event.
    End(index, event.type == EventType::kInvoke ? event.at_ns : last_ns_[SessionOf(event)]);
    holds_.all[index].released = true;
    std::erase(unreleased_[{SessionOf(event), event.key}], index);
    std::erase(kept_[{SessionOf(event), event.key}], index);
  }

  void ReleaseUnknownAcquire(const Event& event) {
    const auto acquire = unknown_.find(event.hold);
    if (acquire == unknown_.end()) return;
    // In a lock that counts entries, this release may undo an earlier entry of the session.
    for (const size_t i : kept_[{SessionOf(event), event.key}]) MakeUnclear(i, event.at_ns);
    const auto [found, first] =
        cleanup_.emplace(event.hold, holds_.releases_of_unknown_acquires.size());
    if (first) {
      holds_.releases_of_unknown_acquires.push_back({.client = event.client,
                                                     .thread = event.thread,
                                                     .hold = event.hold,
                                                     .key = event.key,
                                                     .core = {event.at_ns, event.at_ns},
                                                     .asked_ns = acquire->second.from_ns,
                                                     .granted_until_ns = acquire->second.to_ns,
                                                     .valid_until_ns = acquire->second.to_ns,
                                                     .released = true,
                                                     .perhaps = true});
    }
    RecordReleaseOutcome(holds_.releases_of_unknown_acquires[found->second], event);
  }

  // Records the outcome of a release. A release of unknown outcome may take effect up to a lease
  // after its last event.
  void RecordReleaseOutcome(Hold& hold, const Event& event) {
    const bool checked = event.type == EventType::kOk && event.value[0] == 0;
    hold.harmless = event.type == EventType::kFail || checked;
    hold.unanswered = event.type == EventType::kInfo || event.type == EventType::kInvoke;
    hold.waited_ns = event.type == EventType::kInvoke ? kForeverNs : event.at_ns;
    hold.done_ns = Later(event.at_ns, hold.unanswered ? ToNs(facts_.lease) : 0);
    owner_checked_ = owner_checked_ || checked;
    owner_unchecked_ = owner_unchecked_ || (event.type == EventType::kOk && !checked);
  }

  // Restores a hold that seemed abandoned: its new event proves that the later acquire re-entered.
  void UndoAbandonment(const Event& event) {
    const auto found = holds_.by_id.find(event.hold);
    if (found == holds_.by_id.end()) return;
    Open& open = open_[found->second];
    const Hold& hold = holds_.all[found->second];
    if (open.ended || !open.cut_ns || hold.owner() != SessionOf(event)) return;
    open.cut_ns.reset();
    open.asked_again_ns = kForeverNs;
    unreleased_[{hold.owner(), hold.key}].push_back(found->second);
  }

  void Leave(const Event& event) {
    const auto found = holds_.by_id.find(event.hold);
    if (found == holds_.by_id.end() || open_[found->second].ended) return;
    End(found->second, event.at_ns);
    holds_.all[found->second].left = true;
    open_[found->second].asked_again_ns = kForeverNs;  // the hold was still in use
    std::erase(unreleased_[{SessionOf(event), event.key}], found->second);
  }

  void End(size_t index, int64_t at_ns) {
    Hold& hold = holds_.all[index];
    hold.core.to_ns = std::max(at_ns, hold.core.from_ns);
    hold.valid_until_ns = open_[index].valid_until_ns;
    open_[index].leased = hold.live;
    open_[index].leased.push_back({open_[index].live_from_ns, hold.valid_until_ns});
    ClipLive(hold);
    AddLiveSpan(index, std::min(hold.valid_until_ns, hold.core.to_ns));
    open_[index].ended = true;
  }

  // Restores the earlier `valid_until`, because the extension that was under way at the end of the
  // hold has failed.
  void RestoreLease(size_t index) {
    Hold& hold = holds_.all[index];
    Open& open = open_[index];
    if (!hold.live.empty() && hold.live.back().from_ns == open.live_from_ns) hold.live.pop_back();
    hold.valid_until_ns = open.valid_until_ns = *open.promised_ns;
    open.leased.back().to_ns = hold.valid_until_ns;
    open.promised_ns.reset();
    AddLiveSpan(index, std::min(hold.valid_until_ns, hold.core.to_ns));
  }

  // Clips `live` to the core: the watchdog may extend the lease after the session's last event.
  static void ClipLive(Hold& hold) {
    for (Span& span : hold.live) span.to_ns = std::min(span.to_ns, hold.core.to_ns);
    std::erase_if(hold.live, [&](const Span& span) { return !IsLive(hold, span); });
  }

  // Whether a live span counts. A span of zero length counts only in a hold of zero length. At the
  // end of a longer hold, such a span comes from a release and an extension's answer at the same
  // instant, whose order is unknown.
  static bool IsLive(const Hold& hold, const Span& live) {
    const bool instant = hold.core.from_ns == hold.core.to_ns;
    return instant ? live.from_ns <= live.to_ns : live.from_ns < live.to_ns;
  }

  void AddLiveSpan(size_t index, int64_t at_ns) {
    const Open& open = open_[index];
    Hold& hold = holds_.all[index];
    const Span live{open.live_from_ns, at_ns};
    if (open.live_from_ns < open.valid_until_ns && IsLive(hold, live)) hold.live.push_back(live);
  }

  void Break(const Event& event, std::string_view what) {
    if (holds_.broken) return;
    holds_.broken = fmt::format("the history contradicts itself: at {} client {} {}",
                                FormatSeconds(Duration(event.at_ns)), event.client, what);
  }

  Holds holds_;
  std::vector<Open> open_;  // parallel to Holds::all
  // [invoked, invoked + lease] of the last acquire of each session and key.
  std::map<std::pair<SessionId, uint16_t>, Span> asked_;
  std::unordered_map<uint64_t, Span> unknown_;    // [invoked, invoked + lease] of unknown acquires
  std::unordered_map<uint64_t, size_t> cleanup_;  // by hold: index into the unknown releases
  // Holds that are not released, left or abandoned.
  std::map<std::pair<SessionId, uint16_t>, std::vector<size_t>> unreleased_;
  std::map<std::pair<SessionId, uint16_t>, std::vector<size_t>> kept_;  // holds not released
  // The `valid_until` of extensions that precede their grant, by hold.
  std::unordered_map<uint64_t, int64_t> early_asked_;  // requested, not confirmed or refused
  std::unordered_map<uint64_t, int64_t> early_;        // confirmed
  std::map<SessionId, int64_t> last_ns_;               // time of each session's latest event
  std::map<int32_t, int64_t> killed_ns_;  // time of the kill, or 0 if the client ended by itself
  // By fault and client: whether the last start of the fault recorded the kill of the client.
  std::map<std::pair<int64_t, int32_t>, bool> killed_by_last_;
  std::set<int32_t> lost_;  // clients with lost records
  // Whether any successful release checked the owner, and whether any did not.
  bool owner_checked_ = false, owner_unchecked_ = false;
  const RunFacts& facts_;
  const AsksAgain reading_;
};

}  // namespace

const Hold* Holds::Find(uint64_t hold) const {
  const auto found = by_id.find(hold);
  return found == by_id.end() ? nullptr : &all[found->second];
}

Holds ExtractHolds(const History& history, AsksAgain reading) {
  HoldExtraction extraction(history.facts, reading);
  for (const Event& event : history.events) extraction.AddEvent(event);
  return std::move(extraction).Finish();
}

}  // namespace doublehold
