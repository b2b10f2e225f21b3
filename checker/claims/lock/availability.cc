#include "checker/claims/lock/availability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/evidence/second_copies.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// On several nodes, a call that takes longer may have missed the answers of some nodes, because the
// machine was slow. The timeout of a node is not recorded. A timeout shorter than this would be
// useless.
constexpr int64_t kPromptNs = 3'000'000;

// Why a refusal may be right.
constexpr std::string_view kAskedWithin = "how often it asked within its calls is not known";
constexpr std::string_view kUnasked =
    "its driver may not have asked, because an earlier call has no answer";

bool MayHaveMissedAnswers(const RunFacts& facts, const Call& refused) {
  return !IsOnOneNode(facts) && refused.to_ns - refused.from_ns > kPromptNs;
}

// Start of the latest series of refused acquires of a session.
struct Retries {
  int64_t since_ns = 0;
  // The start, if slow refusals count, and refusals of a driver that may not have asked.
  int64_t perhaps_since_ns = 0;
};

// The acquires of one session on one key.
struct KeyAcquires {
  const Call* last = nullptr;
  Retries retries;     // when the last call was invoked
  bool waits = false;  // an acquire of the session is not granted yet
  // The time at which the session resumed its retries after the last break in its wait; 0: no
  // break.
  int64_t unbroken_since_ns = 0;
  // Start of the last free interval for which a violation of this session was counted; -1: none.
  int64_t counted_free_ns = -1;
};

class AvailabilityChecker : ClaimChecker {
 public:
  AvailabilityChecker(const Evidence& evidence, const Limits& limits, int64_t patience_ns)
      : ClaimChecker(
            evidence, limits, "asks for a free key",
            {.what = "least time left of lease and grace when a free key was granted",
             .missed = "longest that a free key could not be acquired beyond lease and grace"}),
        patience_ns_(patience_ns) {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("who had the key meanwhile is not known"))
      return std::move(found_).Undecided(*why);
    for (const auto& [key, timeline] : evidence_.possessions())
      JudgeKey(key, FindFreeIntervals(evidence_, key, Free::kCertainly));
    if (found_.IsClean()) found_.Doubt(DescribePossiblyFreeKey());
    return std::move(found_).Conclude(
        {.nothing_judged = "nobody asked for a key that was certainly free",
         .judged = Counted(found_.judged(), "ask") + " for a free key",
         .violated = "had no grant within lease and grace",
         .valid = "each of {} had a grant within lease and grace"});
  }

  std::optional<Violation> FindViolation(uint16_t key) && {
    if (WhyIncomplete("")) return std::nullopt;
    if (!evidence_.possessions().contains(key)) return std::nullopt;
    JudgeKey(key, FindFreeIntervals(evidence_, key, Free::kCertainly));
    const ClaimVerdict verdict = std::move(found_).Conclude({});
    if (verdict.outcome != Outcome::kViolated) return std::nullopt;
    return verdict.violations.front();
  }

 private:
  struct Moment {
    int64_t at_ns = 0;
    // An answer sorts after an invocation of the same instant, because the invocation may have come
    // earlier.
    bool answer = false;
    const Call* call = nullptr;
  };

  // Judges the keys once more, as if each hold without a known end had ended with its lease.
  // Returns the first finding; empty if there is none.
  [[nodiscard]] std::string DescribePossiblyFreeKey() const {
    AvailabilityChecker perhaps(evidence_, {}, patience_ns_);
    for (const auto& [key, timeline] : evidence_.possessions()) {
      const auto likely = FindFreeIntervals(evidence_, key, Free::kPerhaps);
      if (likely != FindFreeIntervals(evidence_, key, Free::kCertainly))
        perhaps.JudgeKey(key, likely);
    }
    if (perhaps.found_.IsClean()) return "";
    const std::string why =
        perhaps.found_.violated() > 0 ? perhaps.found_.FirstSentence() : perhaps.found_.doubt();
    return "unless a hold whose end is not known kept the key, " + why;
  }

  void JudgeKey(uint16_t key, const std::vector<FreeInterval>& intervals) {
    std::vector<Moment> moments;
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire || call.key != key) continue;
      if (call.AsksForSeveralKeys()) {  // it may wait for another of its keys
        found_.PassedOver();
        continue;
      }
      const Span during{call.from_ns, call.to_ns};
      if (call.outcome == EventType::kInfo && FindActive(disturbances_, during) == nullptr)
        found_.PassedOver();
      moments.push_back({call.from_ns, false, &call});
      if (call.to_ns < kForeverNs) moments.push_back({call.to_ns, true, &call});
    }
    std::ranges::stable_sort(moments, {},
                             [](const Moment& m) { return std::pair(m.at_ns, m.answer); });
    acquires_.clear();
    retries_.clear();
    for (const Moment& moment : moments) {
      if (!moment.answer) {
        NoteInvocation(*moment.call);
        continue;
      }
      const auto after = std::ranges::lower_bound(
          intervals, moment.call->from_ns, {},
          [](const FreeInterval& interval) { return interval.when.from_ns; });
      NoteAnswer(*moment.call, after == intervals.begin() ? nullptr : &*std::prev(after));
    }
  }

  void NoteInvocation(const Call& call) {
    KeyAcquires& acquires = acquires_[call.session];
    const Call* last = acquires.last;
    const bool may_continue = last != nullptr && last->outcome == EventType::kFail &&
                              call.from_ns - last->to_ns <= ToNs(facts_.lease);
    const bool continues =
        may_continue && !disturbed_.IsUnsent(*last) && !MayHaveMissedAnswers(facts_, *last);
    if (!may_continue) acquires.retries.perhaps_since_ns = call.from_ns;
    if (!continues) acquires.retries.since_ns = call.from_ns;
    if (!acquires.waits) acquires.unbroken_since_ns = 0;
    if (acquires.waits && !continues) acquires.unbroken_since_ns = call.from_ns;
    retries_[&call] = acquires.retries;
    acquires.last = &call;
    acquires.waits = true;
  }

  // `interval`: the last free interval that began before the call's invocation; null: none.
  void NoteAnswer(const Call& call, const FreeInterval* interval) {
    KeyAcquires& acquires = acquires_[call.session];
    if (call.outcome == EventType::kFail && interval != nullptr &&
        Before(call.to_ns, interval->when.to_ns)) {
      JudgeRefusal(call, *interval, acquires.counted_free_ns);
    }
    if (!call.Ok()) return;
    // The session may have invoked its next acquire at the same instant.
    if (acquires.last == &call) acquires.waits = false;
    if (interval != nullptr && interval->when.to_ns == call.from_ns) JudgeGrant(call, *interval);
  }

  void JudgeGrant(const Call& call, const FreeInterval& interval) {
    const int64_t since_ns = std::max(interval.when.from_ns, retries_.at(&call).since_ns);
    const bool late = call.to_ns - since_ns > patience_ns_;
    const Asker asker{call.session.client, call.key};
    if (disturbed_.UndisturbedSince({since_ns, call.to_ns}, asker) != since_ns)
      return late ? found_.PassedOver() : found_.Judged();
    const auto grants = late ? FindGrantsDuring(evidence_.possessions().at(call.key), call)
                             : std::vector{Possession{.acquire = &call}};
    if (grants.empty()) return found_.PassedOver();
    found_.Judged();
    int64_t free_ns = since_ns;
    for (const Possession& each : grants) {
      if (free_ns < each.acquire->to_ns) NoteGrant(call, *each.acquire, free_ns);
      free_ns = std::max(free_ns, each.may.to_ns);
    }
  }

  // Notes how long the session of `call` asked for the free key until `first` was granted.
  void NoteGrant(const Call& call, const Call& first, int64_t since_ns) {
    const Span waited{since_ns, first.to_ns};
    const int64_t blocked_ns =
        BlockedTimeNs(disturbances_,
                      {{call.session.client, waited},
                       {first.session.client, {std::max(since_ns, first.from_ns), first.to_ns}}},
                      Side::kAcquire);
    const int64_t left_ns = patience_ns_ - (waited.to_ns - waited.from_ns - blocked_ns);
    const auto describe = [&](std::string_view when) {
      const std::string other =
          &first == &call ? "" : OwnerName(disturbances_, first.session) + " ";
      return fmt::format("{} asked for the free key from {} on, and {}was granted it {} {}",
                         OwnerName(disturbances_, call.session), At(since_ns), other, when,
                         At(first.to_ns));
    };
    // The lock may have granted the key long before the answer.
    if (left_ns < 0 && found_.IsClean())
      found_.Doubt(describe("only at") + ", though perhaps in time");
    found_.NoteMargin(left_ns, first.to_ns, [&] {
      return fmt::format("{}, with {} of lease and grace left", describe("at"), ShortTime(left_ns));
    });
  }

  void JudgeRefusal(const Call& call, const FreeInterval& interval, int64_t& counted_free_ns) {
    const int64_t free_ns = interval.when.from_ns;
    const Retries& retries = retries_.at(&call);
    int64_t since_ns = free_ns;
    if (!ReportsThatKeyIsTaken(facts_, call)) since_ns = std::max(since_ns, retries.since_ns);
    const int64_t perhaps_ns = std::max(free_ns, retries.perhaps_since_ns);
    if (call.from_ns - since_ns <= patience_ns_ && call.to_ns - perhaps_ns <= patience_ns_) return;
    const auto over =
        disturbed_.UndisturbedSince({free_ns, call.to_ns}, {call.session.client, call.key});
    if (!over)
      return Doubt(call, interval,
                   "this may have been in its way: " + WhyClause(disturbances_, over.error()));
    since_ns = std::max(since_ns, *over);
    const int64_t left_ns = LeftNs({since_ns, call.from_ns}, call);
    if (left_ns >= 0) {
      if (LeftNs({std::max(perhaps_ns, *over), call.to_ns}, call) < 0)
        Doubt(call, interval, disturbed_.IsUnsent(call) ? kUnasked : kAskedWithin);
      return;
    }
    if (const std::string_view why = ExplainUncertainty(call, since_ns); !why.empty())
      return Doubt(call, interval, why);
    if (const auto why = MayBeHadByCopies(evidence_, call.key, {since_ns, call.to_ns}, -left_ns))
      return Doubt(call, interval, WhyClause(disturbances_, *why));
    found_.NoteMargin(left_ns);
    if (counted_free_ns == free_ns) return;
    counted_free_ns = free_ns;
    found_.Judged();
    found_.Violated(call.to_ns, [&] { return DescribeViolation(call, interval); });
  }

  [[nodiscard]] Violation DescribeViolation(const Call& call, const FreeInterval& interval) const {
    const int64_t since_ns = retries_.at(&call).since_ns;
    const std::string asked =
        since_ns < call.from_ns ? fmt::format(" and asked in vain since {}", At(since_ns)) : "";
    Violation violation = DescribeWrongOperation(
        disturbances_, {.by = call.session,
                        .key = call.key,
                        .when = {call.from_ns, call.to_ns},
                        .what = DescribeRefusal(call, interval, asked) + DescribeOtherWaiters(call),
                        .of_service = true});
    if (const Hold* last = LastHold(interval)) violation.first = last->Ref();
    // The effects of a fault may last, so an earlier fault is named too.
    NameEarlierFault(disturbances_, violation);
    return violation;
  }

  // Null if the interval began with the run, or after an acquire of unknown outcome.
  [[nodiscard]] const Hold* LastHold(const FreeInterval& interval) const {
    return interval.last == nullptr ? nullptr : holds_.Find(interval.last->acquire->hold);
  }

  void Doubt(const Call& refused, const FreeInterval& interval, std::string_view why) {
    if (!found_.IsClean()) return;
    found_.Doubt(fmt::format("{} {}; {}", OwnerName(disturbances_, refused.session),
                             DescribeRefusal(refused, interval, ""), why));
  }

  // Returns lease and grace minus the time in `when` in which the client was not blocked. The
  // result is negative if that time is longer.
  [[nodiscard]] int64_t LeftNs(const Span& when, const Call& refused) const {
    if (when.from_ns >= when.to_ns) return patience_ns_;
    const int64_t blocked_ns =
        BlockedTimeNs(disturbances_, refused.session.client, Side::kAcquire, when);
    return patience_ns_ - (when.to_ns - when.from_ns - blocked_ns);
  }

  // Returns the other sessions that invoked an acquire before this refusal and were not granted the
  // key since.
  [[nodiscard]] std::vector<SessionId> OtherWaiters(const Call& refused) const {
    std::vector<SessionId> others;
    for (const auto& [session, acquires] : acquires_) {
      if (acquires.waits && session != refused.session) others.push_back(session);
    }
    return others;
  }

  // Returns since when this session, and each session that may be ahead in a queue, retries without
  // a break. Returns nullopt if one of these sessions may have given up.
  [[nodiscard]] std::optional<int64_t> AllRetrySince(const Call& refused) const {
    int64_t since_ns = retries_.at(&refused).since_ns;
    for (const SessionId& other : OtherWaiters(refused)) {
      const KeyAcquires& acquires = acquires_.at(other);
      const Call& last = *acquires.last;
      const bool still_retries = last.outcome == EventType::kFail && !disturbed_.IsUnsent(last) &&
                                 refused.to_ns - last.to_ns <= ToNs(facts_.lease);
      if (last.to_ns < refused.to_ns && !still_retries) return std::nullopt;
      since_ns = std::max(since_ns, acquires.unbroken_since_ns);
    }
    return since_ns;
  }

  // Returns why the refusal may have been right; empty if the refusal was wrong.
  [[nodiscard]] std::string_view ExplainUncertainty(const Call& refused,
                                                    int64_t free_since_ns) const {
    if (IsOnOneNode(facts_) && !OtherWaiters(refused).empty()) {
      const std::optional<int64_t> all_retry_ns = AllRetrySince(refused);
      if (!all_retry_ns ||
          LeftNs({std::max(free_since_ns, *all_retry_ns), refused.from_ns}, refused) >= 0)
        return "that is right only if another session was ahead in a queue";
    }
    if (MayHaveMissedAnswers(facts_, refused))
      return "it took so long that some of the nodes may have answered too late";
    if (disturbed_.IsUnsent(refused)) return kUnasked;
    return "";
  }

  [[nodiscard]] std::string DescribeRefusal(const Call& refused, const FreeInterval& interval,
                                            const std::string& asked) const {
    const Hold* last = LastHold(interval);
    const std::string free =
        last != nullptr
            ? fmt::format("which nobody had since {}, when {} was the last to have it",
                          At(interval.when.from_ns), OwnerName(disturbances_, last->owner()))
            : fmt::format("which nobody had since {}", At(interval.when.from_ns));
    return fmt::format("asked for the key at {},{}{} {}, and was refused it at {}",
                       At(refused.from_ns), asked, asked.empty() ? "" : ",", free,
                       At(refused.to_ns));
  }

  // Names the waiting sessions on one node. In any order of a queue, one of them should have been
  // granted the key.
  [[nodiscard]] std::string DescribeOtherWaiters(const Call& refused) const {
    if (!IsOnOneNode(facts_)) return "";
    std::vector<std::string> names;
    for (const SessionId& other : OtherWaiters(refused))
      names.push_back(OwnerName(disturbances_, other));
    if (names.empty()) return "";
    return fmt::format("; nor was {} granted it, who asked too", fmt::join(names, " or "));
  }

  const int64_t patience_ns_;
  const Disturbed& disturbed_ = evidence_.disturbed();
  std::map<SessionId, KeyAcquires> acquires_;
  std::map<const Call*, Retries> retries_;  // the retries when each call was invoked
};

}  // namespace

ClaimVerdict CheckAvailability(const Evidence& evidence, const Limits& limits) {
  const int64_t patience_ns = ToNs(evidence.facts().lease + evidence.facts().grace);
  return AvailabilityChecker(evidence, limits, patience_ns).Verdict();
}

std::optional<Violation> FindRefusalOfFreeKey(const Evidence& evidence, uint16_t key,
                                              int64_t patience_ns) {
  return AvailabilityChecker(evidence, {}, patience_ns).FindViolation(key);
}

}  // namespace doublehold
