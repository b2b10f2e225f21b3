#include "checker/claims/library/lost_locks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "checker/evidence/disturbances.h"

namespace doublehold {
namespace {

constexpr int64_t kNeverGranted = std::numeric_limits<int64_t>::min();

// Grants of one key.
class KeyGrants {
 public:
  explicit KeyGrants(const std::vector<const Call*>& granted)
      : by_answer_(granted), by_call_(granted) {
    std::ranges::stable_sort(by_answer_, {}, &Call::to_ns);
    const Call* last = nullptr;
    for (const Call* call : by_answer_) {
      if (last == nullptr || last->from_ns < call->from_ns) last = call;
      last_.push_back(last);
    }
    std::ranges::stable_sort(by_call_, {}, &Call::from_ns);
    first_ = by_call_;
    for (size_t i = first_.size(); i-- > 1;) {
      if (first_[i]->to_ns < first_[i - 1]->to_ns) first_[i - 1] = first_[i];
    }
  }

  // The last invoked among the acquires answered before `at_ns`. Null: none.
  [[nodiscard]] const Call* LastBefore(int64_t at_ns) const {
    const auto after = std::ranges::lower_bound(by_answer_, at_ns, {}, &Call::to_ns);
    return after == by_answer_.begin() ? nullptr
                                       : last_[static_cast<size_t>(after - by_answer_.begin()) - 1];
  }

  // The first answered among the acquires invoked after `since_ns`. Null: none.
  [[nodiscard]] const Call* FirstAfter(int64_t since_ns) const {
    const auto after = std::ranges::upper_bound(by_call_, since_ns, {}, &Call::from_ns);
    return after == by_call_.end() ? nullptr
                                   : first_[static_cast<size_t>(after - by_call_.begin())];
  }

 private:
  std::vector<const Call*> by_answer_;
  std::vector<const Call*> last_;  // element i: the last invoked of the answers up to i
  std::vector<const Call*> by_call_;
  std::vector<const Call*> first_;  // element i: the first answered of the invocations from i on
};

class LostLockSearch {
 public:
  explicit LostLockSearch(const Evidence& evidence)
      : calls_(evidence.calls()),
        holds_(evidence.holds()),
        disturbances_(evidence.disturbances()) {}

  std::vector<LostLock> Find() && {
    const std::map<OfKey, KeyGrants> grants = AllGrants();
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire) NoteAcquire(call);
      if (call.op == Op::kRelease) NoteRelease(call, grants);
    }
    return std::move(found_);
  }

 private:
  // Selects grants of a key. `alone`: exclusive grants only. `certain`: only grants that certainly
  // reached the lock.
  struct OfKey {
    uint16_t key = 0;
    bool alone = false;
    bool certain = false;
    auto operator<=>(const OfKey&) const = default;
  };
  using OfSession = std::pair<SessionId, uint16_t>;

  struct Asked {
    bool unknown = false;     // it has a call of unknown outcome
    bool perhaps_in = false;  // it may believe that it holds the key: a release was not answered
    bool again = false;       // its last grant was a re-entry
    std::set<uint64_t> inside{};         // holds granted and not released
    int64_t granted_ns = kNeverGranted;  // time of its last grant
  };

  // After an unanswered release, a session may believe that it still holds the key and re-enter
  // without asking the lock.
  [[nodiscard]] std::map<OfKey, KeyGrants> AllGrants() const {
    std::map<OfKey, std::vector<const Call*>> granted;
    std::set<OfSession> perhaps_in;
    for (const Call& call : calls_.all) {
      if (IsUnansweredExit(call)) perhaps_in.insert({call.session, call.key});
      if (call.op != Op::kAcquire || !call.Ok() || call.again) continue;
      const bool is_certain = !perhaps_in.contains({call.session, call.key});
      for (const bool alone : {false, true}) {
        if (alone && call.answer[2] != 0) continue;
        granted[{call.key, alone, false}].push_back(&call);
        if (is_certain) granted[{call.key, alone, true}].push_back(&call);
      }
    }
    std::map<OfKey, KeyGrants> grants;
    for (auto& [key, calls] : granted) grants.try_emplace(key, calls);
    return grants;
  }

  [[nodiscard]] bool IsUnansweredExit(const Call& call) const {
    return call.op == Op::kRelease && call.outcome == EventType::kInfo &&
           holds_.Find(call.hold) != nullptr;
  }

  // Acquires come in the order of invocation, so that a release finds the earlier acquires of its
  // session.
  void NoteAcquire(const Call& acquire) {
    Asked& asked = asked_[{acquire.session, acquire.key}];
    asked.unknown = asked.unknown || acquire.outcome == EventType::kInfo;
    if (!acquire.Ok()) return;
    asked.again = !asked.inside.empty();
    asked.inside.insert(acquire.hold);
    asked.granted_ns = acquire.to_ns;
  }

  void NoteRelease(const Call& release, const std::map<OfKey, KeyGrants>& grants) {
    Asked& asked = asked_[{release.session, release.key}];
    const bool again = asked.inside.erase(release.hold) == 0;
    const Hold* own = holds_.Find(release.hold);
    // A hold that its session freed before was not lost; false_answers.h handles a second success.
    // An inner exit frees nothing.
    const bool had_it = own != nullptr && !freed_.contains(release.hold);
    if (had_it && asked.inside.empty() && !asked.unknown) Look(release, *own, asked, grants, again);
    if (release.Ok()) freed_.insert(release.hold);
    asked.perhaps_in = asked.perhaps_in || IsUnansweredExit(release);
  }

  void Look(const Call& release, const Hold& own, const Asked& asked,
            const std::map<OfKey, KeyGrants>& grants, bool again) {
    LostLock lost{.release = &release, .own = &own, .again = again, .entered_again = asked.again};
    for (const bool certain : {false, true}) {
      // Two readers exclude nobody.
      const auto found = grants.find({.key = release.key, .alone = own.shared, .certain = certain});
      const Call* last =
          found == grants.end() ? nullptr : found->second.LastBefore(release.from_ns);
      if (last == nullptr || !Before(asked.granted_ns, last->from_ns)) break;
      lost.last = last;
      lost.first = found->second.FirstAfter(asked.granted_ns);
      if (!certain) lost.perhaps = lost.first;
      lost.certain = certain && !asked.perhaps_in && !MayBeSentAgain(disturbances_, own);
    }
    if (lost.last == nullptr) return;
    if (WasActive(disturbances_, {own.asked_ns, release.to_ns}, LosesData)) return;
    found_.push_back(lost);
  }

  const Calls& calls_;
  const Holds& holds_;
  const Disturbances& disturbances_;
  std::map<OfSession, Asked> asked_;
  std::set<uint64_t> freed_;  // holds with a successful release
  std::vector<LostLock> found_;
};

}  // namespace

bool MayBeSentAgain(const Disturbances& disturbances, const Hold& own) {
  return WasActiveOn(disturbances, own.client, {own.asked_ns, own.core.from_ns}, KeepsMessages);
}

std::optional<std::string> WhyNoLossIsCertain(const Evidence& evidence) {
  if (evidence.holds().broken) return evidence.holds().broken;
  if (evidence.facts().nodes > 1)
    return "on several nodes it is not certain that a lock is lost when another is granted it";
  if (!evidence.calls().complete) return "records were lost: others may have been let in";
  return std::nullopt;
}

std::vector<LostLock> FindLostLocks(const Evidence& evidence) {
  return LostLockSearch(evidence).Find();
}

}  // namespace doublehold
