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
#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// The calls of one key, indexed to find what others were granted or refused during a hold.
struct Others {
  std::vector<const Call*> grants;    // of sessions that did not hold the key, by invocation
  std::vector<const Call*> refusals;  // the same
  std::vector<int64_t> refused_ns;    // element i: the earliest answer of the refusals from i on
  std::vector<int64_t> granted_ns;    // element i: the latest answer of the grants up to i
  std::vector<const Call*> loose;     // releases that may have freed another owner's lock
  std::vector<const Call*> unknown;   // acquires and releases of unknown outcome

  void Take(const Call& call) {
    const bool acquire = call.op == Op::kAcquire && !call.again;
    if (acquire && call.Ok()) grants.push_back(&call);
    if (acquire && call.outcome == EventType::kFail) refusals.push_back(&call);
    if (call.outcome == EventType::kInfo) unknown.push_back(&call);
    const bool unchecked = call.Ok() && call.answer[0] == 1;
    if (call.op == Op::kRelease && (unchecked || call.outcome == EventType::kInfo)) {
      loose.push_back(&call);
    }
  }

  void Finish() {
    refused_ns.resize(refusals.size());
    int64_t earliest_ns = std::numeric_limits<int64_t>::max();
    for (size_t i = refusals.size(); i-- > 0;) {
      refused_ns[i] = earliest_ns = std::min(earliest_ns, refusals[i]->to_ns);
    }
    int64_t latest_ns = std::numeric_limits<int64_t>::min();
    for (const Call* grant : grants) {
      latest_ns = std::max(latest_ns, grant->to_ns);
      granted_ns.push_back(latest_ns);
    }
  }

  // A grant invoked by `at_ns`, answered after it, and exclusive with this hold; null: none.
  [[nodiscard]] const Call* GrantAcross(int64_t at_ns, const Hold& hold) const {
    const auto after = std::ranges::upper_bound(grants, at_ns, {}, &Call::from_ns);
    for (auto i = static_cast<size_t>(after - grants.begin()); i-- > 0;) {
      if (!Before(at_ns, granted_ns[i])) return nullptr;
      if (Before(at_ns, grants[i]->to_ns) && Excludes(*grants[i], hold)) return grants[i];
    }
    return nullptr;
  }

  // Whether somebody was refused the key entirely within a span.
  [[nodiscard]] bool Refused(const Span& when) const {
    const auto first = std::ranges::upper_bound(refusals, when.from_ns, {}, &Call::from_ns);
    if (first == refusals.end()) return false;
    return Before(refused_ns[static_cast<size_t>(first - refusals.begin())], when.to_ns);
  }

  // Whether another waited for the key all through a span, and was granted it later.
  [[nodiscard]] bool WaitedThrough(const Span& when) const {
    const auto after = std::ranges::lower_bound(grants, when.from_ns, {}, &Call::from_ns);
    return after != grants.begin() &&
           Before(when.to_ns, granted_ns[static_cast<size_t>(after - grants.begin()) - 1]);
  }

  // The first grant that was invoked after `at_ns` and is exclusive with this hold; null: none.
  [[nodiscard]] const Call* GrantAfter(int64_t at_ns, const Hold& hold) const {
    auto grant = std::ranges::upper_bound(grants, at_ns, {}, &Call::from_ns);
    while (grant != grants.end() && !Excludes(**grant, hold)) ++grant;
    return grant == grants.end() ? nullptr : *grant;
  }

  // Whether the grant is another owner's, and not both are readers.
  static bool Excludes(const Call& grant, const Hold& hold) {
    return grant.session != hold.owner() && !(hold.shared && grant.answer[2] != 0);
  }
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
      if (disturbances_.facts.nodes <= 1 && calls_.complete) JudgeLastExits(calls);
    }
    if (inner_exits_ == 0) found_.Doubt("no client entered again what it held");
    if (looked_at_ == 0) found_.Doubt("nobody was kept from the key after a nested exit");
    return std::move(found_).Conclude(
        {.judged = Counted(found_.judged(), "exit"),
         .violated = "freed the lock too early, or not at all",
         .valid = fmt::format(
             "{} of {{}} were nested and kept the lock; after {} others were kept from it",
             inner_exits_, Counted(looked_at_, "inner exit"))});
  }

 private:
  void JudgeInnerExits(const std::vector<const Call*>& calls) {
    Others others;
    for (const Call* call : calls) others.Take(*call);
    others.Finish();
    // Unreleased holds by session, the outermost first.
    std::map<SessionId, std::vector<const Hold*>> entered;
    std::set<const Call*> told;
    for (const Call* call : calls) {  // of one session: in the order of time
      std::vector<const Hold*>& mine = entered[call->session];
      const Hold* hold = holds_.Find(call->hold);
      if (hold == nullptr) continue;
      if (call->op == Op::kAcquire) {
        if (call->Ok()) mine.push_back(hold);
        continue;
      }
      std::erase(mine, hold);
      if (mine.empty() || call->outcome == EventType::kFail) continue;
      if (call->Ok()) ++inner_exits_;
      const Span still_held{call->to_ns, mine.front()->core.to_ns};
      if (others.Refused(still_held) || others.WaitedThrough(still_held)) ++looked_at_;
      const Call* across = others.GrantAcross(call->from_ns, *mine.front());
      if (across != nullptr && LiveAt(mine, across->to_ns) != nullptr) {
        Doubt(*call, TellExit(*call, *mine.front(), *across));
        continue;
      }
      const Call* grant = others.GrantAfter(call->from_ns, *mine.front());
      if (grant == nullptr || told.contains(grant)) continue;
      const Hold* outer = LiveAt(mine, grant->to_ns);
      if (outer == nullptr) continue;
      told.insert(grant);
      JudgeInnerExit(*call, *outer, *grant, others);
    }
  }

  static const Hold* LiveAt(const std::vector<const Hold*>& held, int64_t at_ns) {
    const auto live = std::ranges::find_if(held, [at_ns](const Hold* hold) {
      return hold->LiveAt(at_ns) && hold->core.from_ns < at_ns;
    });
    return live == held.end() ? nullptr : *live;
  }

  [[nodiscard]] std::string TellExit(const Call& exit, const Hold& outer, const Call& grant) const {
    return fmt::format(
        "left the key once at {}, having entered it twice, and {} was granted it at {}, while the "
        "first entry, of {}, was still held",
        At(exit.from_ns), OwnerName(disturbances_, grant.session), At(grant.to_ns),
        At(outer.core.from_ns));
  }

  void Doubt(const Call& exit, const std::string& what) {
    found_.Doubt(fmt::format("{} {}, which need not be because of that exit",
                             OwnerName(disturbances_, exit.session), what));
  }

  void JudgeInnerExit(const Call& exit, const Hold& outer, const Call& grant,
                      const Others& others) {
    const Span while_held{outer.core.from_ns, grant.to_ns};
    const bool lost_before = std::ranges::any_of(others.grants, [&](const Call* other) {
      return Others::Excludes(*other, outer) && other->from_ns <= exit.from_ns &&
             other->to_ns >= while_held.from_ns;
    });
    const bool loose = std::ranges::any_of(others.loose, [&](const Call* release) {
      return release->session != exit.session && release->from_ns <= while_held.to_ns &&
             release->DoneNs() >= while_held.from_ns;
    });
    // A late release undoes another entry of its session. So does the release of an acquire that
    // never took effect.
    const bool undone = std::ranges::any_of(others.unknown, [&](const Call* call) {
      return call->session == exit.session && call->from_ns <= grant.to_ns;
    });
    const bool otherwise = lost_before || loose || undone || !exit.Ok() || !calls_.complete ||
                           !others.Refused({outer.core.from_ns, exit.from_ns}) ||
                           WasActive(disturbances_, while_held, MovesAClock) ||
                           WasActive(disturbances_, while_held, LosesKeys);
    const std::string what = TellExit(exit, outer, grant);
    if (otherwise) return Doubt(exit, what);
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
  }

  void JudgeLastExits(const std::vector<const Call*>& calls) {
    for (const Refusal& refusal : RefusalsOfAFreeKey(calls, disturbances_)) {
      const Call& refused = *refusal.refused;
      const std::string what = fmt::format(
          "was told at {} that the key is taken, and nobody held it: {} was the last to release "
          "it, "
          "at {}",
          At(refused.to_ns), OwnerName(disturbances_, refusal.last_exit->session),
          At(refusal.last_exit->to_ns));
      if (!refusal.certain) {
        found_.Doubt(fmt::format("{} {}; only if {} is that right",
                                 OwnerName(disturbances_, refused.session), what,
                                 refusal.perhaps_taken ? "an acquire was carried out twice"
                                                       : "another stood before it in a queue"));
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
        NameEarlierFault(disturbances_, violation, [](const FaultFact&) { return true; });
        return violation;
      });
    }
  }

  int64_t inner_exits_ = 0;
  int64_t looked_at_ = 0;  // inner exits after which somebody was kept from the key in time
};

}  // namespace

ClaimVerdict CheckReentry(const Evidence& evidence, const Limits& limits) {
  return ReentryChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
