#include "checker/claims/lock/reentry.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/claims/lock/last_exit.h"
#include "checker/claims/lock/sole_holders.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/false_answers.h"
#include "checker/evidence/lost_locks.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// Refusals, indexed to find one within a span.
struct RefusedCalls {
  std::vector<const Call*> calls;   // sorted by invocation
  std::vector<int64_t> refused_ns;  // element i: the earliest answer of the calls from i on

  void Finish() {
    refused_ns.resize(calls.size());
    int64_t earliest_ns = std::numeric_limits<int64_t>::max();
    for (size_t i = calls.size(); i-- > 0;) {
      refused_ns[i] = earliest_ns = std::min(earliest_ns, calls[i]->to_ns);
    }
  }

  // Whether an acquire was invoked and refused within `when`.
  [[nodiscard]] bool AnyWithin(const Span& when) const {
    const auto first = std::ranges::upper_bound(calls, when.from_ns, {}, &Call::from_ns);
    if (first == calls.end()) return false;
    return Before(refused_ns[static_cast<size_t>(first - calls.begin())], when.to_ns);
  }
};

// The calls of one key, indexed to find the grants and refusals of other clients during a hold.
struct OtherCalls {
  std::vector<const Call*> grants;   // without re-entries, sorted by invocation
  std::vector<int64_t> granted_ns;   // element i: the latest answer of the grants up to i
  RefusedCalls refused;              // without re-entries; each shows that somebody had the key
  std::vector<const Call*> unknown;  // releases of unknown outcome

  void AddCall(const Call& call, const Disturbed& disturbed) {
    const bool acquire = call.op == Op::kAcquire && !call.again;
    if (acquire && call.Ok()) grants.push_back(&call);
    if (call.op == Op::kRelease && call.outcome == EventType::kInfo) unknown.push_back(&call);
    if (acquire && call.outcome == EventType::kFail && disturbed.ShowsTakenKey(call))
      refused.calls.push_back(&call);
  }

  void Finish() {
    refused.Finish();
    int64_t latest_ns = std::numeric_limits<int64_t>::min();
    for (const Call* grant : grants) {
      latest_ns = std::max(latest_ns, grant->to_ns);
      granted_ns.push_back(latest_ns);
    }
  }

  // Of the grants that were invoked by `at_ns` and answered after `at_ns`, and that exclude `hold`,
  // returns the one answered first; null if there is none.
  [[nodiscard]] const Call* FindGrantAcross(int64_t at_ns, const Hold& hold) const {
    const auto after = std::ranges::upper_bound(grants, at_ns, {}, &Call::from_ns);
    const Call* first = nullptr;
    for (auto i = static_cast<size_t>(after - grants.begin()); i-- > 0;) {
      if (!Before(at_ns, granted_ns[i])) break;
      if (Before(at_ns, grants[i]->to_ns) && Excludes(*grants[i], hold) &&
          (first == nullptr || grants[i]->to_ns < first->to_ns))
        first = grants[i];
    }
    return first;
  }

  // Of the grants that were invoked after `at_ns` and exclude `hold`, returns the one answered
  // first; null if there is none.
  [[nodiscard]] const Call* FindGrantAfter(int64_t at_ns, const Hold& hold) const {
    const Call* first = nullptr;
    auto grant = std::ranges::upper_bound(grants, at_ns, {}, &Call::from_ns);
    for (; grant != grants.end() && (first == nullptr || (*grant)->from_ns < first->to_ns); ++grant)
      if (Excludes(**grant, hold) && (first == nullptr || (*grant)->to_ns < first->to_ns))
        first = *grant;
    return first;
  }

  // Whether the grant and the hold exclude each other: they have different owners, and at most one
  // of them is shared.
  static bool Excludes(const Call& grant, const Hold& hold) {
    return grant.session != hold.owner() && !(hold.shared && grant.answer[2] != 0);
  }
};

// Decides whether a nested exit was tested: after the exit, another client was kept from the key,
// and only the outer hold can have kept this client from the key.
class InnerExitTests {
 public:
  // `calls`: the acquires and releases of one key, in the order of their invocation.
  InnerExitTests(const std::vector<const Call*>& calls, const OtherCalls& others,
                 const Evidence& evidence)
      : disturbed_(evidence.disturbed()), holders_(calls, evidence) {
    for (const Call* refused : others.refused.calls) {
      if (const auto holder = holders_.During(*refused)) kept_by_[*holder].calls.push_back(refused);
    }
    for (auto& [holder, refused] : kept_by_) refused.Finish();
    for (const Call* grant : others.grants) grants_[grant->session].push_back(grant);
    for (const Call* call : calls) {
      if (call->op == Op::kAcquire && call->outcome != EventType::kFail)
        entries_ns_[call->session].push_back(call->from_ns);
    }
  }

  // Whether another client was kept from the key after the exit, until `until_ns` or an earlier
  // acquire of the same session. If the exit had freed the lock, that acquire would have taken the
  // key anew.
  [[nodiscard]] bool IsTested(const Call& exit, const Hold& outer, int64_t until_ns) const {
    const std::vector<int64_t>& entries_ns = entries_ns_.at(exit.session);
    const auto again = std::ranges::lower_bound(entries_ns, exit.from_ns);
    const Span kept{exit.to_ns, again == entries_ns.end() ? until_ns : std::min(until_ns, *again)};
    if (!Before(kept.from_ns, kept.to_ns)) return false;
    const auto refused = kept_by_.find(exit.session);
    return (refused != kept_by_.end() && refused->second.AnyWithin(kept)) ||
           WaitedThrough(kept, outer);
  }

 private:
  // Whether a session asked for the key throughout `when` and was granted the key afterwards.
  [[nodiscard]] bool WaitedThrough(const Span& when, const Hold& outer) const {
    if (holders_.During(when) != outer.owner()) return false;
    return std::ranges::any_of(grants_, [&](const auto& of_session) {
      const auto after =
          std::ranges::lower_bound(of_session.second, when.from_ns, {}, &Call::from_ns);
      if (after == of_session.second.begin()) return false;
      const Call& grant = **std::prev(after);
      return Before(when.to_ns, grant.to_ns) && OtherCalls::Excludes(grant, outer) &&
             disturbed_.AskedTheLock(grant, when);
    });
  }

  const Disturbed& disturbed_;
  const SoleHolders holders_;
  std::map<SessionId, RefusedCalls> kept_by_;
  std::map<SessionId, std::vector<const Call*>> grants_;  // sorted by invocation
  std::map<SessionId, std::vector<int64_t>> entries_ns_;  // acquires that may have been granted
};

class ReentryChecker : ClaimChecker {
 public:
  ReentryChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "exits") {}

  ClaimVerdict Verdict() && {
    if (holds_.broken) return std::move(found_).Undecided(*holds_.broken);
    std::map<uint16_t, std::vector<const Call*>> of_key;
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire || call.op == Op::kRelease) of_key[call.key].push_back(&call);
      if (call.op == Op::kRelease && call.Ok()) found_.Judged();
    }
    for (const auto& [key, calls] : of_key) {
      JudgeInnerExits(calls);
      if (IsOnOneNode(disturbances_.facts) && calls_.complete) JudgeLastExits(key);
    }
    DoubtRefusedExits();
    if (inner_exits_ == 0) found_.Doubt("no client entered again what it held");
    if (tested_exits_ == 0) found_.Doubt("nobody was kept from the key after a nested exit");
    return std::move(found_).Conclude(
        {.judged = Counted(found_.judged(), "exit"),
         .violated = "freed the lock too early, or not at all",
         .valid = fmt::format(
             "{} of {{}} were nested and kept the lock; after {}, others were kept from the key",
             inner_exits_, Counted(tested_exits_, "nested exit"))});
  }

 private:
  void JudgeInnerExits(const std::vector<const Call*>& calls) {
    OtherCalls others;
    for (const Call* call : calls) others.AddCall(*call, evidence_.disturbed());
    others.Finish();
    const InnerExitTests tests(calls, others, evidence_);
    // Unreleased holds by session, the outermost first.
    std::map<SessionId, std::vector<const Hold*>> entered;
    std::set<const Call*> described;
    for (const Call* call : calls) {  // the calls of one session are in the order of time
      std::vector<const Hold*>& own_holds = entered[call->session];
      const Hold* hold = entries_.Find(call->hold);
      if (hold == nullptr) continue;
      if (call->op == Op::kAcquire) {
        if (call->Ok()) own_holds.push_back(hold);
        continue;
      }
      std::erase(own_holds, hold);
      if (own_holds.empty() || call->outcome == EventType::kFail) continue;
      CountInnerExit(*call, *own_holds.front(), tests);
      const Call* across = others.FindGrantAcross(call->from_ns, *own_holds.front());
      if (across != nullptr && FindLiveHold(own_holds, across->to_ns) != nullptr) {
        DoubtExit(*call, DescribeExit(*call, *own_holds.front(), *across),
                  "that acquire was already pending at the exit");
        continue;
      }
      const Call* grant = others.FindGrantAfter(call->from_ns, *own_holds.front());
      if (grant == nullptr || described.contains(grant)) continue;
      const Hold* outer = FindLiveHold(own_holds, grant->to_ns);
      if (outer == nullptr) continue;
      // The exit may have left the exclusive entry, and kept one that admits readers.
      const bool admits_readers =
          grant->answer[2] != 0 && std::ranges::any_of(own_holds, &Hold::shared);
      if (admits_readers)
        DoubtExit(*call, DescribeExit(*call, *outer, *grant),
                  "the remaining hold is shared, so it admits readers");
      else if (IsViolation(*call, *outer, *grant, others))
        described.insert(grant);
    }
  }

  // An exit after the lease of the outer hold is no nested exit: the lock need not have counted the
  // two entries together.
  void CountInnerExit(const Call& exit, const Hold& outer, const InnerExitTests& tests) {
    if (!exit.Ok() || !LiveThrough(outer, exit.to_ns)) return;
    ++inner_exits_;
    if (tests.IsTested(exit, outer, HeldUntilNs(outer))) ++tested_exits_;
  }

  // An owner that is killed, or leaves its section, keeps the lock for the rest of its lease.
  static int64_t HeldUntilNs(const Hold& hold) {
    return hold.released ? hold.core.to_ns : std::min(hold.core.to_ns, hold.valid_until_ns);
  }

  static const Hold* FindLiveHold(const std::vector<const Hold*>& held, int64_t at_ns) {
    const auto live = std::ranges::find_if(held, [at_ns](const Hold* hold) {
      return hold->core.from_ns < at_ns && hold->LiveAt(at_ns) && LiveThrough(*hold, at_ns);
    });
    return live == held.end() ? nullptr : *live;
  }

  // Whether the hold's lease ran from its grant until `at_ns` without a gap. After a gap, an
  // extension may have extended a newer entry of the session.
  static bool LiveThrough(const Hold& hold, int64_t at_ns) {
    return std::ranges::any_of(hold.live, [&](const Span& span) {
      return span.from_ns <= hold.core.from_ns && at_ns <= span.to_ns;
    });
  }

  [[nodiscard]] std::string DescribeExit(const Call& exit, const Hold& outer,
                                         const Call& grant) const {
    return fmt::format(
        "released a nested entry at {}, and {} was granted the key at {}, while the outer entry, "
        "acquired at {}, was still held",
        At(exit.from_ns), OwnerName(disturbances_, grant.session), At(grant.to_ns),
        At(outer.core.from_ns));
  }

  void DoubtExit(const Call& exit, const std::string& what, const std::string& other_cause) {
    found_.Doubt(fmt::format("{} {}; that exit need not be the cause: {}",
                             OwnerName(disturbances_, exit.session), what, other_cause));
  }

  // Returns what else may have let the other client in; empty if only the exit can have.
  [[nodiscard]] std::string FindOtherCause(const Call& exit, const Hold& outer, const Call& grant,
                                           const OtherCalls& others) const {
    const auto before = std::ranges::find_if(others.grants, [&](const Call* other) {
      return OtherCalls::Excludes(*other, outer) && other->from_ns <= exit.from_ns &&
             other->to_ns >= outer.core.from_ns;
    });
    if (before != others.grants.end())
      return WhyClause(disturbances_, {Why::What::kGranted, *before});
    for (const Call* release : others.unknown) {
      if (release->session != exit.session && release->from_ns <= grant.to_ns)
        return WhyClause(disturbances_, {Why::What::kUnanswered, release});
    }
    // An owner that acquired again without a release may have left its section before.
    if (FindLiveHold({holds_.Find(outer.hold)}, grant.to_ns) == nullptr)
      return "the owner may have left its first section before";
    if (!exit.Ok()) return WhyClause(disturbances_, {Why::What::kUnanswered, &exit});
    if (!calls_.complete) return "records were lost";
    if (!others.refused.AnyWithin({outer.core.from_ns, exit.from_ns}))
      return "no other client had been refused, so the record does not show that this lock "
             "excludes anybody";
    const MustHave& must_have = evidence_.must_have();
    if (must_have.Throughout(exit.key, exit.session, {exit.from_ns, grant.to_ns})) return "";
    const auto why = must_have.WhyNot(exit.key, exit.session, {outer.asked_ns, grant.to_ns});
    return WhyClause(disturbances_, why.value_or(Why{.what = Why::What::kLease}));
  }

  // Judges the exit by the first grant to another client, and returns whether it is a violation.
  bool IsViolation(const Call& exit, const Hold& outer, const Call& grant,
                   const OtherCalls& others) {
    const std::string what = DescribeExit(exit, outer, grant);
    if (const std::string why = FindOtherCause(exit, outer, grant, others); !why.empty()) {
      DoubtExit(exit, what, why);
      return false;
    }
    found_.Violated(grant.to_ns, [&] {
      Violation violation =
          DescribeWrongOperation(disturbances_, {.by = exit.session,
                                                 .harmed = holds_.Find(grant.hold),
                                                 .beside = &outer,
                                                 .key = exit.key,
                                                 .when = {exit.from_ns, grant.to_ns},
                                                 .what = what});
      violation.first = outer.Ref();
      return violation;
    });
    return true;
  }

  void JudgeLastExits(uint16_t key) {
    for (const Refusal& refusal : FindRefusalsOfFreeKey(evidence_, key)) {
      const Call& refused = *refusal.refused;
      const std::string what = fmt::format(
          "was refused the key at {}, although {} had released it at {}, and nobody had been "
          "granted it since",
          At(refused.to_ns), OwnerName(disturbances_, refusal.last_exit->session),
          At(refusal.last_exit->to_ns));
      if (!refusal.doubt.empty()) {
        found_.Doubt(fmt::format("{} {}; that is right if {}",
                                 OwnerName(disturbances_, refused.session), what, refusal.doubt));
        continue;
      }
      found_.Violated(refused.to_ns, [&] {
        Violation violation =
            DescribeWrongOperation(disturbances_, {.by = refused.session,
                                                   .key = refused.key,
                                                   .when = {refused.from_ns, refused.to_ns},
                                                   .what = what});
        const Hold* last = holds_.Find(refusal.last_exit->hold);
        if (last != nullptr) violation.first = last->Ref();
        // A wrong count of entries stays wrong, so any earlier fault may be the cause.
        NameEarlierFault(disturbances_, violation);
        return violation;
      });
    }
  }

  // Doubts exits that report a lost lock. Such a report is right if an earlier exit freed the lock.
  void DoubtRefusedExits() {
    if (WhyNoLossIsCertain(evidence_)) return;
    for (const FalseAnswer& answer : FindFalseAnswers(evidence_)) {
      if (!answer.unless_freed_by_own_exit) continue;
      found_.Doubt(fmt::format(
          "{}'s exit at {} reported a lost lock, though the lease ran until {} and nobody else was "
          "granted the key; the report is right only if an earlier exit freed the lock",
          OwnerName(disturbances_, answer.release->session), At(answer.release->from_ns),
          At(answer.at_ns)));
    }
  }

  // An owner that acquires again is inside: this claim counts entries.
  const std::optional<Holds> inside_ =
      holds_.is_ambiguous ? std::optional(ExtractHolds(evidence_.history(), AsksAgain::kIsInside))
                          : std::nullopt;
  const Holds& entries_ = inside_ ? *inside_ : holds_;
  int64_t inner_exits_ = 0;
  int64_t tested_exits_ = 0;  // nested exits after which another client was kept from the key
};

}  // namespace

ClaimVerdict CheckReentry(const Evidence& evidence, const Limits& limits) {
  return ReentryChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
