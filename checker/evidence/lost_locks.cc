#include "checker/evidence/lost_locks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "checker/evidence/second_copies.h"

namespace doublehold {
namespace {

constexpr int64_t kNeverGranted = std::numeric_limits<int64_t>::min();

class LostLockSearch {
 public:
  explicit LostLockSearch(const Evidence& evidence)
      : calls_(evidence.calls()),
        holds_(evidence.holds()),
        left_holds_(evidence),
        evidence_(evidence) {}

  std::vector<LostLock> Find() && {
    const std::map<GrantFilter, Grants> grants = GroupGrants();
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire) NoteAcquire(call);
      if (call.op == Op::kRelease) NoteRelease(call, grants);
    }
    return std::move(found_);
  }

 private:
  // Selects grants of a key. `exclusive`: exclusive grants only. `certain`: only grants that
  // certainly came from a server.
  struct GrantFilter {
    uint16_t key = 0;
    bool exclusive = false;
    bool certain = false;
    auto operator<=>(const GrantFilter&) const = default;  // NOLINT(modernize-use-nullptr): no null
  };
  using SessionAndKey = std::pair<SessionId, uint16_t>;

  struct SessionState {
    const Call* unknown = nullptr;  // an acquire of unknown outcome
    // A release was unanswered, so the session may believe that it still holds the key.
    const Call* may_be_inside = nullptr;
    bool again = false;                  // the last grant was a re-entry
    std::set<uint64_t> held{};           // holds granted and not released
    int64_t granted_ns = kNeverGranted;  // time of the last grant
  };

  // After an unanswered release, a session may believe that it still holds the key, and re-enter
  // without asking a server. So its later grants are not certain.
  [[nodiscard]] std::map<GrantFilter, Grants> GroupGrants() const {
    std::map<GrantFilter, std::vector<const Call*>> granted;
    std::set<SessionAndKey> may_be_inside;
    std::map<SessionAndKey, std::set<uint64_t>> held;  // granted and not released
    for (const Call& call : calls_.all) {
      std::set<uint64_t>& own = held[{call.session, call.key}];
      if (call.op == Op::kRelease) own.erase(call.hold);
      if (IsUnansweredRelease(call)) may_be_inside.insert({call.session, call.key});
      if (call.op != Op::kAcquire || !call.Ok()) continue;
      // A library that counts entries itself may count a hold that its session left.
      if (left_holds_.EraseEnded(own, call.from_ns)) may_be_inside.insert({call.session, call.key});
      const bool again = !own.empty();
      own.insert(call.hold);
      if (again) continue;
      const bool is_certain = !may_be_inside.contains({call.session, call.key});
      for (const bool exclusive : {false, true}) {
        if (exclusive && call.answer[2] != 0) continue;
        granted[{call.key, exclusive, false}].push_back(&call);
        if (is_certain) granted[{call.key, exclusive, true}].push_back(&call);
      }
    }
    std::map<GrantFilter, Grants> grants;
    for (auto& [key, calls] : granted) grants.try_emplace(key, calls);
    return grants;
  }

  [[nodiscard]] bool IsUnansweredRelease(const Call& call) const {
    return call.op == Op::kRelease && call.outcome == EventType::kInfo &&
           holds_.Find(call.hold) != nullptr;
  }

  // Calls come in the order of invocation, so a release finds all earlier acquires of its session.
  void NoteAcquire(const Call& acquire) {
    SessionState& state = states_[{acquire.session, acquire.key}];
    if (acquire.outcome == EventType::kInfo) state.unknown = &acquire;
    if (!acquire.Ok()) return;
    left_holds_.EraseEnded(state.held, acquire.from_ns);
    state.again = !state.held.empty();
    state.held.insert(acquire.hold);
    state.granted_ns = acquire.to_ns;
  }

  void NoteRelease(const Call& release, const std::map<GrantFilter, Grants>& grants) {
    SessionState& state = states_[{release.session, release.key}];
    const bool again = state.held.erase(release.hold) == 0;
    const Hold* own = holds_.Find(release.hold);
    // A hold that its session had already freed was not lost. The file false_answers.h handles a
    // second success. A nested exit frees nothing.
    const bool had_it = own != nullptr && !freed_.contains(release.hold);
    if (had_it && left_holds_.AreAllLeft(state.held)) Judge(release, *own, state, grants, again);
    if (release.Ok()) freed_.insert(release.hold);
    if (IsUnansweredRelease(release)) state.may_be_inside = &release;
  }

  void Judge(const Call& release, const Hold& own, const SessionState& state,
             const std::map<GrantFilter, Grants>& grants, bool again) {
    LostLock lost{.release = &release, .own = &own, .again = again, .entered_again = state.again};
    for (const bool certain : {false, true}) {
      // A shared grant does not end a shared hold.
      const auto found =
          grants.find({.key = release.key, .exclusive = own.shared, .certain = certain});
      const Call* last =
          found == grants.end() ? nullptr : found->second.LastBefore(release.from_ns);
      if (last == nullptr || !Before(state.granted_ns, last->from_ns)) break;
      lost.last = last;
      lost.first = found->second.FirstAfter(state.granted_ns);
      if (!certain) lost.perhaps = lost.first;
      lost.doubt =
          certain ? DoubtOf(release, own, state) : Why{.what = Why::What::kReentry, .call = last};
    }
    if (lost.last == nullptr) return;
    found_.push_back(lost);
  }

  static std::optional<Why> Unanswered(const Call* call) {
    if (call == nullptr) return std::nullopt;
    return Why{.what = Why::What::kUnanswered, .call = call};
  }

  [[nodiscard]] std::optional<Why> DoubtOf(const Call& release, const Hold& own,
                                           const SessionState& state) const {
    const std::optional<Why> entries =
        state.held.empty() ? std::nullopt : std::optional(Why{.what = Why::What::kEntries});
    return FirstOf(Unanswered(state.unknown), Unanswered(state.may_be_inside), entries,
                   MayMeetOwnCopy(evidence_, release),
                   evidence_.disturbed().MayReturnKeys({own.asked_ns, release.from_ns}));
  }

  const Calls& calls_;
  const Holds& holds_;
  const LeftHolds left_holds_;
  const Evidence& evidence_;
  std::map<SessionAndKey, SessionState> states_;
  std::set<uint64_t> freed_;  // holds with a successful release
  std::vector<LostLock> found_;
};

}  // namespace

LeftHolds::LeftHolds(const Evidence& evidence) {
  std::set<uint64_t> left;
  for (const Event& event : evidence.history().events) {
    if (event.op == Op::kLeave) left.insert(event.hold);
  }
  if (left.empty()) return;
  for (const Call& call : evidence.calls().all) {
    if (call.op == Op::kAcquire && call.Ok() && left.contains(call.hold))
      ends_ns_[call.hold] = evidence.lease_ends().LatestNs(call);
  }
}

bool LeftHolds::EraseEnded(std::set<uint64_t>& held, int64_t at_ns) const {
  const size_t erased = std::erase_if(held, [&](uint64_t hold) {
    const auto end = ends_ns_.find(hold);
    return end != ends_ns_.end() && Before(end->second, at_ns);
  });
  return erased > 0;
}

bool LeftHolds::AreAllLeft(const std::set<uint64_t>& held) const {
  return std::ranges::all_of(held, [this](uint64_t hold) { return ends_ns_.contains(hold); });
}

std::optional<std::string> WhyNoLossIsCertain(const Evidence& evidence) {
  if (evidence.holds().broken) return evidence.holds().broken;
  if (!IsOnOneNode(evidence.facts()))
    return "on several nodes it is not certain that a lock is lost when another is granted it";
  if (!evidence.calls().complete) return "records were lost: others may have been let in";
  return std::nullopt;
}

std::vector<LostLock> FindLostLocks(const Evidence& evidence) {
  return LostLockSearch(evidence).Find();
}

}  // namespace doublehold
