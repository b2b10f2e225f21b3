#include "checker/evidence/lost_locks.h"

#include <limits>
#include <map>
#include <set>
#include <utility>

#include "checker/evidence/entry_log.h"
#include "checker/evidence/grants.h"
#include "checker/evidence/second_copies.h"

namespace doublehold {
namespace {

constexpr int64_t kNeverGranted = std::numeric_limits<int64_t>::min();

class LostLockSearch {
 public:
  explicit LostLockSearch(const Evidence& evidence)
      : calls_(evidence.calls()), holds_(evidence.holds()), evidence_(evidence) {}

  std::vector<LostLock> Find() && {
    EntryLog log(evidence_);
    GroupGrants(log);
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
      const EntryLog::Entries& own = log.Add(call);
      if (call.op == Op::kRelease) NoteRelease(call, own, log.HasLeftAll(own));
    }
    return std::move(found_);
  }

 private:
  // After an unanswered release, a session may believe that it still holds the key, and re-enter
  // without asking a server. So its later grants are not certain.
  void GroupGrants(EntryLog log) {
    std::vector<const Call*> all, certain;
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
      const EntryLog::Entries& own = log.Add(call);
      if (call.op != Op::kAcquire || !call.Ok() || own.entered_again) continue;
      all.push_back(&call);
      // A library that counts entries itself may count a hold that its session left.
      if (own.may_be_inside == nullptr && !own.has_left) certain.push_back(&call);
    }
    all_ = GroupByKey(all);
    certain_ = GroupByKey(certain);
  }

  // Calls come in the order of invocation, so a release finds all earlier acquires of its session.
  void NoteRelease(const Call& release, const EntryLog::Entries& entries, bool is_last) {
    const bool again = !released_.insert(release.hold).second;
    const Hold* own = holds_.Find(release.hold);
    // A hold that its session had already freed was not lost. The file false_answers.h handles a
    // second success. A nested exit frees nothing.
    if (own != nullptr && !freed_.contains(release.hold) && is_last)
      Judge(release, *own, entries, again);
    if (release.Ok()) freed_.insert(release.hold);
  }

  void Judge(const Call& release, const Hold& own, const EntryLog::Entries& entries, bool again) {
    LostLock lost{
        .release = &release, .own = &own, .again = again, .entered_again = entries.entered_again};
    const int64_t granted_ns = entries.granted == nullptr ? kNeverGranted : entries.granted->to_ns;
    for (const bool certain : {false, true}) {
      const auto of_key = (certain ? certain_ : all_).find(release.key);
      if (of_key == (certain ? certain_ : all_).end()) break;
      // A shared grant does not end a shared hold.
      const Grants& grants = own.shared ? of_key->second.exclusive : of_key->second.any;
      const Call* last = grants.LastBefore(release.from_ns);
      if (last == nullptr || !Before(granted_ns, last->from_ns)) break;
      lost.last = last;
      lost.first = grants.FirstAfter(granted_ns);
      if (!certain) lost.perhaps = lost.first;
      lost.doubt =
          certain ? DoubtOf(release, own, entries) : Why{.what = Why::What::kReentry, .call = last};
    }
    if (lost.last == nullptr) return;
    found_.push_back(lost);
  }

  [[nodiscard]] std::optional<Why> DoubtOf(const Call& release, const Hold& own,
                                           const EntryLog::Entries& entries) const {
    return FirstOf(Unanswered(entries.may_get), Unanswered(entries.may_be_inside),
                   If(!entries.held.empty(), {.what = Why::What::kEntries}),
                   MayMeetOwnCopy(evidence_, release),
                   evidence_.disturbed().MayReturnKeys({own.asked_ns, release.from_ns}));
  }

  const Calls& calls_;
  const Holds& holds_;
  const Evidence& evidence_;
  std::map<uint16_t, KeyGrants> all_, certain_;  // without re-entries; certainly from a server
  std::set<uint64_t> released_;                  // holds with a release
  std::set<uint64_t> freed_;                     // holds with a successful release
  std::vector<LostLock> found_;
};

}  // namespace

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
