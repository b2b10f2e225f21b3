#include "checker/claims/lock/fencing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/evidence/overlaps.h"
#include "checker/evidence/second_copies.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

int64_t TokenForCall(const Call& call) {
  return call.op == Op::kAcquire ? call.answer[1] : call.answer[3];
}

// Finds the largest token among the calls answered before a call. Requires calls in the order of
// their invocation.
class LargestEarlierToken {
 public:
  explicit LargestEarlierToken(std::vector<const Call*> calls) : by_answer_(std::move(calls)) {
    std::ranges::stable_sort(by_answer_, {}, &Call::to_ns);
  }
  // Returns the call with the largest token among those answered before `call` was invoked. Among
  // calls with this token, returns the call answered first. Returns null if no call was answered
  // before.
  const Call* FindFor(const Call& call) {
    for (; next_ < by_answer_.size() && Before(by_answer_[next_]->to_ns, call.from_ns); ++next_) {
      if (largest_ == nullptr || TokenForCall(*by_answer_[next_]) > TokenForCall(*largest_)) {
        largest_ = by_answer_[next_];
      }
    }
    return largest_;
  }

 private:
  std::vector<const Call*> by_answer_;
  const Call* largest_ = nullptr;
  size_t next_ = 0;
};

class FencingChecker : ClaimChecker {
 public:
  FencingChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "tokens",
                     {.what = "smallest step from a token to the next",
                      .missed = "furthest a token went back",
                      .unit = "tokens"}) {}

  ClaimVerdict Verdict() && {
    if (holds_.broken) return std::move(found_).Undecided(*holds_.broken);
    Judge();
    if (grants_.empty()) return std::move(found_).Undecided("no grant carried a token");
    if (compared_ == 0) found_.Doubt("no key was granted with a second token after the first");
    found_.Doubt(WhyTooLittle(compared_, granted_ - compared_, "grants"));
    return std::move(found_).Conclude(
        {.judged = Counted(found_.judged(), "token"),
         .violated = "did not rise, or were stale and accepted",
         .valid = accesses_.empty() ? "{} rose from grant to grant; none was shown to the store"
                                    : "{} rose from grant to grant, and none was stale"});
  }

  // Whether at least one grant carried a token, and no token violates the claim or leaves a doubt.
  bool FindsNoContradiction() && {
    if (holds_.broken) return false;
    Judge();
    return !grants_.empty() && found_.IsClean();
  }

 private:
  void Judge() {
    for (const Call& call : calls_.all) {
      const bool access = call.op == Op::kRead || call.op == Op::kWrite;
      if (!call.Ok() || (!access && call.op != Op::kAcquire)) continue;
      granted_ += access ? 0 : 1;
      if (TokenForCall(call) == 0) continue;
      found_.Judged();
      std::vector<const Call*>& of_key = access ? accesses_[call.key] : grants_[call.key];
      of_key.push_back(&call);
    }
    FindGrantsPerhapsInside();
    for (const auto& [key, of_key] : grants_) JudgeGrants(of_key);
    for (const auto& [key, of_key] : accesses_) JudgeAccesses(of_key);
    for (const auto& [key, of_key] : grants_) DoubtConcurrentGrants(of_key);
  }

  void FindGrantsPerhapsInside() {
    // Only a lock that its owner may re-enter grants a token again.
    std::map<std::pair<SessionId, uint16_t>, int64_t> unanswered_ns;  // the first invocation
    for (const Call& call : calls_.all) {
      if (call.outcome == EventType::kInfo && (call.op == Op::kAcquire || call.op == Op::kRelease))
        unanswered_ns.try_emplace({call.session, call.key}, call.from_ns);
    }
    for (const Call& call : calls_.all) {
      const auto first = unanswered_ns.find({call.session, call.key});
      if (first != unanswered_ns.end() && first->second <= call.from_ns)
        perhaps_inside_.insert(&call);
    }
  }

  void JudgeGrants(const std::vector<const Call*>& grants) {
    LargestEarlierToken largest(grants);
    std::map<int64_t, const Call*> given;
    int64_t ordered = 0;
    for (const Call* grant : grants) {
      const Call* before = largest.FindFor(*grant);
      if (before != nullptr && !IsOwnTokenAgain(*before, *grant)) NoteStep(*grant, *before);
      ordered += before == nullptr ? 0 : 1;
      const auto [same, is_new] = given.emplace(TokenForCall(*grant), grant);
      if (before != nullptr && TokenForCall(*before) >= TokenForCall(*grant) &&
          !IsOwnTokenAgain(*before, *grant)) {
        found_.Violated(grant->to_ns, [&] { return DescribeGrant(*grant, *before, "before"); });
      } else if (!is_new && !IsOwnTokenAgain(*same->second, *grant)) {
        found_.Violated(grant->to_ns, [&] { return DescribeGrant(*grant, *same->second, "too"); });
      }
    }
    // A comparison needs two tokens and two ordered grants of a key. A single token cannot fall,
    // even if its owner re-entered. The order of concurrent grants is unknown.
    if (given.size() > 1 && ordered > 0) compared_ += ordered + 1;
  }

  // Compares each grant with the concurrent grants that were invoked before it.
  void DoubtConcurrentGrants(const std::vector<const Call*>& grants) {
    std::vector<const Call*> open;
    for (const Call* grant : grants) {
      std::erase_if(open, [&](const Call* other) { return Before(other->to_ns, grant->from_ns); });
      for (const Call* other : open) {
        const bool is_larger = TokenForCall(*grant) > TokenForCall(*other);
        DoubtPair(is_larger ? *grant : *other, is_larger ? *other : *grant);
      }
      open.push_back(grant);
    }
  }

  void DoubtPair(const Call& larger, const Call& smaller) {
    const Hold* late = holds_.Find(larger.hold);
    const Hold* other = holds_.Find(smaller.hold);
    if (late == nullptr || other == nullptr) return;
    if (late->owner() == other->owner() || (late->shared && other->shared)) return;
    if (TokenForCall(larger) == TokenForCall(smaller)) return;
    const int64_t promised_ns =
        other->promised.empty() ? other->core.to_ns : other->promised.front().to_ns;
    // Only the lease as granted counts, without its extensions.
    if (!Before(larger.to_ns, std::min(promised_ns, other->granted_until_ns))) return;
    if (PromisedAtOnce(*late, *other)) return;
    found_.Doubt(fmt::format(
        "{} was granted the key with token {} at {}, and {} with token {} at {}: either the "
        "larger token came first, or the key was granted within a lease",
        OwnerName(disturbances_, late->owner()), TokenForCall(larger), At(larger.to_ns),
        OwnerName(disturbances_, other->owner()), TokenForCall(smaller), At(smaller.to_ns)));
  }

  void NoteStep(const Call& grant, const Call& before) {
    const int64_t step = TokenForCall(grant) - TokenForCall(before);
    if (step <= 0) return found_.NoteMargin(step);
    found_.NoteMargin(step, grant.to_ns, [&] {
      return fmt::format("{} was granted token {} at {}, {} above {}'s",
                         OwnerName(disturbances_, grant.session), TokenForCall(grant),
                         At(grant.to_ns), step, OwnerName(disturbances_, before.session));
    });
  }

  // Whether an owner was rightly granted its own token again.
  [[nodiscard]] bool IsOwnTokenAgain(const Call& before, const Call& grant) const {
    if (before.session != grant.session || TokenForCall(before) != TokenForCall(grant))
      return false;
    return grant.again || perhaps_inside_.contains(&grant) || MayMeetOwnCopy(evidence_, grant);
  }

  void JudgeAccesses(const std::vector<const Call*>& accesses) {
    LargestEarlierToken largest(accesses);
    for (const Call* access : accesses) {
      const Call* before = largest.FindFor(*access);
      if (before != nullptr && TokenForCall(*before) > TokenForCall(*access))
        found_.Violated(access->to_ns, [&] { return DescribeAccess(*access, *before); });
    }
  }

  [[nodiscard]] Violation DescribeGrant(const Call& grant, const Call& other,
                                        std::string_view when) const {
    Violation violation = DescribeWrongOperation(
        disturbances_,
        {.by = grant.session,
         .harmed = holds_.Find(grant.hold),
         .key = grant.key,
         .when = {grant.to_ns, grant.to_ns},
         .what = fmt::format("was granted the key with token {} at {}, and {} had been granted it "
                             "with token {} {}, at {}",
                             TokenForCall(grant), At(grant.to_ns),
                             OwnerName(disturbances_, other.session), TokenForCall(other), when,
                             At(other.to_ns)),
         .of_service = true});
    const Hold* first = holds_.Find(other.hold);
    if (first != nullptr) violation.first = first->Ref();
    // Tokens may fall at any time after a fault lost the counter.
    NameEarlierFault(disturbances_, violation, LosesKeys);
    return violation;
  }

  [[nodiscard]] Violation DescribeAccess(const Call& access, const Call& newer) const {
    const std::string did = access.op == Op::kRead
                                ? fmt::format("read stock {}", access.answer[0])
                                : fmt::format("wrote stock {}", access.answer[1]);
    return DescribeWrongOperation(
        disturbances_,
        {.by = access.session,
         .under = holds_.Find(access.hold),
         .harmed = holds_.Find(newer.hold),
         .key = access.key,
         .when = {access.from_ns, access.to_ns},
         .what = fmt::format("{} at {} with token {}, and the store took it, though it had taken "
                             "{}'s token {} at {}",
                             did, At(access.to_ns), TokenForCall(access),
                             OwnerName(disturbances_, newer.session), TokenForCall(newer),
                             At(newer.to_ns)),
         .of_service = true,
         .on_store = true});
  }

  std::map<uint16_t, std::vector<const Call*>> grants_, accesses_;  // calls with a token, by key
  int64_t granted_ = 0;   // grants with or without a token
  int64_t compared_ = 0;  // grants whose order is known, of keys with several tokens
  // Calls whose session may have held the key at the invocation: after an unanswered acquire or
  // release, or by a second copy of an acquire.
  std::set<const Call*> perhaps_inside_;
};

}  // namespace

bool StoreRefusesStaleWrites(const Evidence& evidence) {
  const bool all_show_tokens =
      std::ranges::all_of(evidence.history().events, [](const Event& event) {
        const bool read = event.op == Op::kRead && event.type == EventType::kOk;
        const bool shows = read || event.op == Op::kWrite;
        return !shows || event.client <= kReferee || event.value[3] > 0;
      });
  return all_show_tokens && FencingChecker(evidence, {}).FindsNoContradiction();
}

ClaimVerdict CheckFencing(const Evidence& evidence, const Limits& limits) {
  return FencingChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
