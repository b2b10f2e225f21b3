#include "checker/claims/lock/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/entry_log.h"
#include "checker/evidence/library.h"
#include "checker/evidence/lost_locks.h"
#include "checker/evidence/names.h"
#include "checker/evidence/second_copies.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// Finds the grants of one key that may have been the last when a release took effect.
class LastGrants {
 public:
  LastGrants(const std::vector<const Call*>& acquires, const KeyGrants& grants)
      : acquires_(acquires), grants_(grants) {}

  // Returns the grants that may be the latest grant when the release takes effect. Each was invoked
  // before the release returned or at that instant. Leaves out a grant if another grant certainly
  // followed it before the release was invoked. `until_ns`: the earliest invocation among this and
  // all later releases. Requires releases in the order of their returns.
  std::vector<const Call*> FindPossiblyLast(const Call& release, int64_t until_ns) {
    for (; next_ < acquires_.size() && acquires_[next_]->from_ns <= release.to_ns; ++next_) {
      if (acquires_[next_]->Ok()) open_.push_back(acquires_[next_]);
    }
    std::erase_if(open_, [&](const Call* grant) { return WasFollowed(*grant, until_ns); });
    std::vector<const Call*> last = open_;
    std::erase_if(last, [&](const Call* grant) { return WasFollowed(*grant, release.from_ns); });
    return last;
  }

 private:
  // A shared grant proves that the previous holder is gone only if that one was exclusive.
  [[nodiscard]] bool WasFollowed(const Call& grant, int64_t at_ns) const {
    return (grant.answer[2] == 0 ? grants_.any : grants_.exclusive).WasFollowed(grant, at_ns);
  }

  const std::vector<const Call*>& acquires_;
  const KeyGrants& grants_;
  std::vector<const Call*> open_;  // grants that were invoked and may still be the latest
  size_t next_ = 0;
};

class ReleaseChecker : ClaimChecker {
 public:
  ReleaseChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "releases",
                     {.what = "least lease left after a release that did not check the owner",
                      .missed = "longest after its lease that a release did not look"}) {}

  ClaimVerdict Verdict() && {
    if (holds_.broken) return std::move(found_).Undecided(*holds_.broken);
    std::map<uint16_t, std::vector<const Call*>> unchecked, acquires;
    bool answered = false;
    EntryLog log(evidence_);
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire) acquires[call.key].push_back(&call);
      if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
      const EntryLog::Entries& own_entries = log.Add(call);
      if (call.op == Op::kAcquire) continue;
      const bool is_nested = !own_entries.held.empty() || own_entries.has_left;
      const std::optional<Why> may_be_own =
          FirstOf(If(is_nested && LibraryCan(facts_, "reentrant"), {.what = Why::What::kEntries}),
                  MayMeetOwnCopy(evidence_, call));
      if (may_be_own) may_be_own_.emplace(&call, *may_be_own);
      found_.Judged();
      answered = answered || call.outcome != EventType::kInfo;
      if (call.Ok() && call.answer[0] == 1) unchecked[call.key].push_back(&call);
      if (call.outcome == EventType::kInfo) NoteUnanswered(call);
      const Hold* own = holds_.Find(call.hold);
      if (own == nullptr) continue;
      if (call.outcome == EventType::kFail && IsGoneEarly(call, *own)) gone_early_.push_back(&call);
      if (call.Ok() && Before(own->valid_until_ns, call.to_ns)) late_.push_back(&call);
    }
    for (const auto& [key, releases] : unchecked) JudgeKey(key, releases, acquires[key]);
    if (!answered) return std::move(found_).Undecided("no release was answered");
    if (found_.IsClean()) found_.Doubt(DescribeFalseSuccess());
    if (found_.IsClean()) found_.Doubt(DescribeLateSuccess());
    if (found_.IsClean() && unanswered_ != nullptr) DoubtUnanswered(!unchecked.empty());
    if (!found_.describes()) return std::move(found_).Conclude({});
    return std::move(found_).Conclude({.judged = Counted(found_.judged(), "release"),
                                       .violated = "freed a lock that another held",
                                       .valid = "none of {} freed a lock that another held"});
  }

 private:
  // An unanswered release may take effect at any later time. It harms only a client that holds the
  // key at that time.
  void NoteUnanswered(const Call& release) {
    if (unanswered_ != nullptr) return;
    const auto met = std::find_if(holds_.all.rbegin(), holds_.all.rend(), [&](const Hold& hold) {
      return hold.key == release.key && hold.owner() != release.session &&
             hold.core.to_ns >= release.from_ns;
    });
    if (met != holds_.all.rend()) unanswered_ = &release;
  }

  void DoubtUnanswered(bool some_are_unchecked) {
    const std::string who = OwnerName(disturbances_, unanswered_->session);
    const std::string when = At(unanswered_->from_ns);
    if (some_are_unchecked) {
      found_.Doubt(
          fmt::format("the release that {} called at {} does not look whose lock it frees, and {}",
                      who, when, Describe(unanswered_->why)));
    } else if (!gone_early_.empty()) {
      const Call& last = **std::ranges::max_element(gone_early_, {}, &Call::to_ns);
      if (Before(last.to_ns, unanswered_->from_ns)) return;
      found_.Doubt(fmt::format("{}, and the release that {} called at {} {}",
                               DescribeEarlyLoss(last), who, when, Describe(unanswered_->why)));
    }
  }

  [[nodiscard]] std::string DescribeEarlyLoss(const Call& gone) const {
    return fmt::format("the lock of {} was gone at {}, before its lease was over",
                       OwnerName(disturbances_, gone.session), At(gone.to_ns));
  }

  // Describes a successful release that may have freed a lock that was gone early; empty if there
  // is none. A lock may read the owner within the lease of the release, and delete the key later.
  [[nodiscard]] std::string DescribeLateSuccess() const {
    for (const Call* release : late_) {
      const auto lost = std::ranges::find_if(gone_early_, [&](const Call* gone) {
        const bool apart = Before(release->to_ns, holds_.Find(gone->hold)->asked_ns) ||
                           Before(gone->to_ns, release->from_ns);
        return gone->key == release->key && gone->session != release->session && !apart;
      });
      if (lost == gone_early_.end()) continue;
      return fmt::format("{}, and {} released the key from {} to {}, when its own lease had ended",
                         DescribeEarlyLoss(**lost), OwnerName(disturbances_, release->session),
                         At(release->from_ns), At(release->to_ns));
    }
    return {};
  }

  // Describes a release that a library reported as successful although its lock was lost, and
  // another client held the key. The release may have freed the other client's lock. Empty in
  // these cases:
  // - there is no such release;
  // - on several nodes, the lock was perhaps not lost;
  // - the library has the trait `silent-release`: it reports success for lost locks too;
  // - the other client's key may have been gone: some libraries then report success.
  [[nodiscard]] std::string DescribeFalseSuccess() const {
    if (!facts_.library || WhyNoLossIsCertain(evidence_)) return {};
    if (LibraryCan(facts_, "silent-release")) return {};
    for (const LostLock& lost : FindLostLocks(evidence_)) {
      const Call& release = *lost.release;
      // On one node, the other client's key shows that the lock was lost (below).
      if (lost.doubt && !IsOnOneNode(facts_)) continue;
      if (!release.Ok() || release.answer[0] != 0) continue;
      const Span during{release.from_ns, release.to_ns};
      const auto met = std::ranges::find_if(holds_.all, [&](const Hold& hold) {
        return hold.key == release.key && hold.owner() != release.session &&
               hold.core.from_ns < during.from_ns && during.to_ns < hold.core.to_ns &&
               !WhyGone(hold, {hold.asked_ns, during.to_ns});
      });
      if (met == holds_.all.end()) continue;
      return fmt::format(
          "{} released the key at {} and was told that this freed its lock, which was lost; {} "
          "held the key then, and may have lost it by that",
          OwnerName(disturbances_, release.session), At(release.from_ns),
          OwnerName(disturbances_, met->owner()));
    }
    return {};
  }

  // Whether a refused release shows that its lock was gone before the lease ended. False if a fault
  // that loses keys or moves a server's clock may explain this. Always false on several nodes.
  [[nodiscard]] bool IsGoneEarly(const Call& release, const Hold& own) const {
    return IsOnOneNode(facts_) && Before(release.to_ns, own.valid_until_ns) &&
           !evidence_.disturbed().MayLoseKey(release.key, {own.core.from_ns, release.to_ns});
  }

  void JudgeKey(uint16_t key, std::vector<const Call*> releases,
                const std::vector<const Call*>& acquires) {
    LastGrants grants(acquires, evidence_.grants().at(key));
    const auto unknown = std::ranges::find(acquires, EventType::kInfo, &Call::outcome);
    std::ranges::stable_sort(releases, {}, &Call::to_ns);
    // Element i: the earliest invocation among the releases from i on.
    std::vector<int64_t> until_ns(releases.size());
    for (size_t i = releases.size(); i-- > 0;) {
      until_ns[i] = releases[i]->from_ns;
      if (i + 1 < releases.size()) until_ns[i] = std::min(until_ns[i], until_ns[i + 1]);
    }
    for (size_t i = 0; i < releases.size(); ++i) {
      const Call& release = *releases[i];
      const std::vector<const Call*> last = grants.FindPossiblyLast(release, until_ns[i]);
      const Hold* own = holds_.Find(release.hold);
      NoteMargin(own, release);
      std::optional<Why> doubt;
      if (unknown != acquires.end() && (*unknown)->from_ns <= release.to_ns)
        doubt = Unanswered(*unknown);
      else if (const auto may_be_own = may_be_own_.find(&release); may_be_own != may_be_own_.end())
        doubt = may_be_own->second;
      const Hold* harmed = FindHarmed(release, own, last, doubt);
      if (harmed == nullptr) continue;
      if (!doubt)
        found_.Violated(release.to_ns,
                        [&] { return DescribeWrongRelease(key, release, own, *harmed); });
      else
        found_.Doubt(fmt::format(
            "{} may have freed {}'s lock at {}, or else another or none, since {}",
            OwnerName(disturbances_, release.session), OwnerName(disturbances_, harmed->owner()),
            At(release.from_ns), WhyClause(disturbances_, *doubt)));
    }
  }

  // Returns the other owner's hold that was, or may have been, freed; of several, the one granted
  // last; null if there is none. `doubt`: why the release may have freed a lock of its own session,
  // or no lock; set if there is another reason for it.
  const Hold* FindHarmed(const Call& release, const Hold* own, const std::vector<const Call*>& last,
                         std::optional<Why>& doubt) const {
    const auto note = [&](const std::optional<Why>& why) { doubt = FirstOf(doubt, why); };
    if (!IsOnOneNode(facts_)) note(Why{.what = Why::What::kNodes});
    const bool own_is_over = own == nullptr || own->valid_until_ns < release.to_ns;
    const Hold* harmed = nullptr;
    int64_t since_ns = release.from_ns;
    for (const Call* grant : last) {
      const Hold* hold = holds_.Find(grant->hold);
      since_ns = std::min(since_ns, grant->from_ns);
      if (hold == nullptr || hold->owner() == release.session) {
        note(Why{.what = Why::What::kGranted, .call = grant});
        continue;
      }
      // A client that was killed, or left its section without a release, keeps its lock until its
      // lease ends.
      const int64_t end_ns =
          hold->promised.empty() ? hold->core.to_ns : hold->promised.back().to_ns;
      // A holder that invoked its own release at the instant of this answer may have released
      // first.
      if (!Before(release.to_ns, hold->core.to_ns))
        note(Why{.what = Why::What::kLease, .hold = hold});
      const bool had_it = Before(hold->core.from_ns, release.from_ns);
      const bool met = end_ns > release.from_ns && (own_is_over || had_it);
      if (met && (harmed == nullptr || harmed->core.from_ns < hold->core.from_ns)) harmed = hold;
    }
    if (harmed == nullptr) return nullptr;
    // After data loss, the node need not have had the lock that was granted last.
    note(evidence_.disturbed().MayReturnKeys({since_ns, release.to_ns}));
    note(WhyGone(*harmed, {since_ns, release.to_ns}));
    return harmed;
  }

  // Returns why the key of `granted`, set within `when`, may have been gone by the end of `when`.
  [[nodiscard]] std::optional<Why> WhyGone(const Hold& granted, const Span& when) const {
    if (!facts_.library) return std::nullopt;  // Doublehold's locks report no success without a key
    if (!Before(when.to_ns, granted.valid_until_ns))
      return Why{.what = Why::What::kLease, .hold = &granted};
    return FirstOf(evidence_.disturbed().MayLoseKey(granted.key, when),
                   evidence_.disturbed().MayMoveClocks(when));
  }

  void NoteMargin(const Hold* own, const Call& release) {
    if (own == nullptr || own->valid_until_ns >= kForeverNs) return;
    const int64_t left_ns = own->valid_until_ns - release.to_ns;
    found_.NoteMargin(left_ns, release.to_ns, [&] {
      return fmt::format("{}'s release of {} was answered at {} with {} of its lease left",
                         OwnerName(disturbances_, release.session), KeyName(facts_, release.key),
                         At(release.to_ns), ShortTime(left_ns));
    });
  }

  [[nodiscard]] Violation DescribeWrongRelease(uint16_t key, const Call& release, const Hold* own,
                                               const Hold& harmed) const {
    return DescribeWrongOperation(
        disturbances_,
        {.by = release.session,
         .under = own,
         .harmed = &harmed,
         .key = key,
         .when = {release.from_ns, release.to_ns},
         .what = fmt::format("released the key at {}{} and freed the lock of {}, which had been "
                             "granted it at {}",
                             At(release.from_ns),
                             own == nullptr ? ", though it had not been granted it," : "",
                             OwnerName(disturbances_, harmed.owner()), At(harmed.core.from_ns))});
  }

  // The releases that may have freed a second copy of an own acquire, or only left a nested entry.
  std::map<const Call*, Why> may_be_own_;
  const Call* unanswered_ = nullptr;     // the first that may have freed another owner's lock
  std::vector<const Call*> gone_early_;  // the releases for which IsGoneEarly is true
  std::vector<const Call*> late_;        // the successful releases that ended after their leases
};

}  // namespace

// On several nodes no release is certain to have freed anything, nor a lock to be gone early.
bool MattersToRelease(const RunFacts& facts, const FaultFact& fault, bool on_servers) {
  return IsCrash(fault) || ((IsOnOneNode(facts) || facts.library) &&
                            (LosesKeys(fault) || (on_servers && MovesAClock(fault))));
}

ClaimVerdict CheckRelease(const Evidence& evidence, const Limits& limits) {
  return ReleaseChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
