#include "checker/evidence/false_answers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/entry_log.h"
#include "checker/evidence/library.h"
#include "checker/evidence/second_copies.h"

namespace doublehold {
namespace {

class FalseAnswerSearch {
 public:
  explicit FalseAnswerSearch(const Evidence& evidence)
      : evidence_(evidence),
        holds_(evidence.holds()),
        disturbances_(evidence.disturbances()),
        leases_end_(LibraryCan(evidence.facts(), "lease")) {}

  std::vector<FalseAnswer> Find() && {
    for (const Call& call : evidence_.calls().all) {
      if (call.op == Op::kAcquire && call.outcome != EventType::kFail)
        acquires_[call.key].push_back(&call);
    }
    EntryLog log(evidence_);
    for (const Call& call : evidence_.calls().all) {
      if (call.op != Op::kAcquire && call.op != Op::kRelease) continue;
      const EntryLog::Entries& own = log.Add(call);
      if (call.op == Op::kAcquire && call.Ok()) granted_[call.hold] = {.acquire = &call};
      const auto granted = granted_.find(call.hold);
      if (call.op != Op::kRelease || granted == granted_.end()) continue;
      if (log.HasLeftAll(own) || call.outcome == EventType::kFail)
        Judge(call, granted->second, own);
    }
    return std::move(found_);
  }

 private:
  struct GrantState {
    const Call* acquire = nullptr;
    const Call* freed = nullptr;  // the first release that reported success
  };

  void Judge(const Call& release, GrantState& granted, const EntryLog::Entries& state) {
    const Hold* own = holds_.Find(release.hold);
    const bool reports_success = release.Ok() && release.answer[0] == 0;
    if (own == nullptr || (!reports_success && release.outcome != EventType::kFail)) return;
    // A delayed extension or release, or a second copy, may still be carried out.
    const std::optional<Why> delayed =
        evidence_.disturbed().MayDelayMessages(own->client, {own->asked_ns, release.from_ns});
    const bool one_entry = !state.entered_again && !state.has_left && state.held.empty();
    const std::optional<Why> entries = If(!one_entry, {.what = Why::What::kEntries});
    FalseAnswer answer{.release = &release, .own = own};
    if (!reports_success) {
      answer.kind = FalseAnswerKind::kStillHeld;
      answer.at_ns = own->valid_until_ns;
      if (granted.freed != nullptr || !Before(release.to_ns, answer.at_ns)) return;
      std::optional<Why> other;
      if (WasGrantedToAnother(release, *own, other)) return;
      // The release itself may have been sent again: then the first copy freed the lock.
      const std::optional<Why> lost = FirstOf(
          delayed,
          evidence_.disturbed().MayResendInStall(own->client, {release.from_ns, release.to_ns}),
          other, WhyNotUntilReleased(release, *own));
      answer.doubt = FirstOf(lost, entries);
      answer.unless_freed_by_own_exit = !lost && entries;
      found_.push_back(answer);
      return;
    }
    // Readers may keep each other's locks alive. A second copy of an earlier acquire may have been
    // what the release freed.
    const Span all{own->asked_ns, release.to_ns};
    answer.doubt = FirstOf(
        entries, Unanswered(state.unanswered), evidence_.disturbed().MayLoseKey(release.key, all),
        evidence_.disturbed().MayMoveClocks(all), delayed,
        If(own->shared, {.what = Why::What::kReader}), MayMeetOwnCopy(evidence_, release));
    if (granted.freed != nullptr) {
      answer.kind = FalseAnswerKind::kAlreadyFreed;
      answer.at_ns = granted.freed->to_ns;
      if (Before(answer.at_ns, release.from_ns)) found_.push_back(answer);
      return;
    }
    granted.freed = &release;
    answer.at_ns = evidence_.lease_ends().LatestNs(*granted.acquire);
    const bool over = release.from_ns - answer.at_ns > ToNs(disturbances_.facts.grace);
    if (leases_end_ && over) found_.push_back(answer);
  }

  // Returns why the session need not have had the lock until the answer of its release.
  [[nodiscard]] std::optional<Why> WhyNotUntilReleased(const Call& release, const Hold& own) const {
    const MustHave& must_have = evidence_.must_have();
    if (must_have.UntilReleased(release)) return std::nullopt;
    return must_have.WhyNot(release.key, release.session, {own.asked_ns, release.to_ns})
        .value_or(Why{.what = Why::What::kLease});
  }

  // Whether another session was granted the lock before the release was invoked, and did not give
  // it back before this session's grant. Otherwise sets `doubt` to an acquire that may have taken
  // the lock, if there is one; an unanswered one is preferred. A later grant is only a doubt: the
  // service may have granted the key too early, or the answer is false.
  [[nodiscard]] bool WasGrantedToAnother(const Call& release, const Hold& own,
                                         std::optional<Why>& doubt) const {
    const auto note = [&](const Call& other) {
      if (doubt && doubt->call->outcome == EventType::kInfo) return;
      doubt = Why{.what = Why::What::kGranted, .call = &other};
    };
    for (const Call* other : acquires_.at(release.key)) {
      if (other->from_ns > release.to_ns) break;
      if (other->session == release.session) continue;
      if (other->DoneNs() < own.asked_ns) {
        // If the service granted the key twice, the answer may be true.
        if (IsPromisedBeside(*other, own)) note(*other);
        continue;
      }
      const bool shared = own.shared && other->answer[2] != 0;
      const bool before = Before(other->to_ns, release.from_ns);
      if (other->Ok() && before && !shared && !WasOver(*other, own)) return true;
      note(*other);
    }
    if (doubt && own.shared) doubt = Why{.what = Why::What::kShared};
    return false;
  }

  [[nodiscard]] bool IsPromisedBeside(const Call& other, const Hold& own) const {
    const Hold* hold = holds_.Find(other.hold);
    return hold != nullptr && !(hold->shared && own.shared) && hold->PromisedAt(own.core.from_ns);
  }

  [[nodiscard]] bool WasOver(const Call& other, const Hold& own) const {
    const Hold* hold = holds_.Find(other.hold);
    return hold != nullptr && hold->released && !hold->unanswered &&
           Before(hold->done_ns, own.core.from_ns);
  }

  const Evidence& evidence_;
  const Holds& holds_;
  const Disturbances& disturbances_;
  bool leases_end_;  // the library declares that its leases end
  std::map<uint16_t, std::vector<const Call*>> acquires_;  // acquires that may have been granted
  std::unordered_map<uint64_t, GrantState> granted_;
  std::vector<FalseAnswer> found_;
};

}  // namespace

std::vector<FalseAnswer> FindFalseAnswers(const Evidence& evidence) {
  return FalseAnswerSearch(evidence).Find();
}

}  // namespace doublehold
