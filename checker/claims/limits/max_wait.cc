#include "checker/claims/limits/max_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/claims/limits/limit.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/measures/waits.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// The waits of one session for one key since its last grant of that key.
struct LongWait {
  SessionId session;
  uint16_t key = 0;
  std::vector<Span> asked;
  bool granted = false;
  uint64_t hold = 0;              // the hold granted at the end of the wait; 0: none
  int64_t perhaps_longer_ns = 0;  // how much longer the last, unanswered wait may have been
  // When the first acquire was invoked that was, or may have been, granted within the wait.
  int64_t may_hold_from_ns = kForeverNs;

  [[nodiscard]] int64_t LengthNs() const {
    int64_t length_ns = 0;
    for (const Span& span : asked) length_ns += span.to_ns - span.from_ns;
    return length_ns;
  }
  [[nodiscard]] Span Whole() const { return {asked.front().from_ns, asked.back().to_ns}; }
  // Returns the part of the wait in which the session cannot have held the key.
  [[nodiscard]] LongWait CertainPart() const {
    LongWait part = *this;
    if (may_hold_from_ns == kForeverNs) return part;
    part.granted = false;
    part.hold = 0;
    std::erase_if(part.asked, [&](const Span& span) { return span.from_ns >= may_hold_from_ns; });
    if (!part.asked.empty())
      part.asked.back().to_ns = std::min(part.asked.back().to_ns, may_hold_from_ns);
    return part;
  }
};

class WaitLimitChecker : ClaimChecker {
 public:
  WaitLimitChecker(const Evidence& evidence, const Limits& limits, int64_t limit_ns)
      : ClaimChecker(evidence, limits, "waits",
                     {.what = "least time left of the limit of a wait",
                      .missed = "longest that a wait took beyond the limit"}),
        limit_ns_(limit_ns) {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("not all grants may be known"))
      return std::move(found_).Undecided(*why);
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire && call.outcome != EventType::kFail)
        acquires_[{call.session, call.key}].push_back(&call);
    }
    GatherWaits();
    const std::string limit = FormatDuration(Duration(limit_ns_));
    return std::move(found_).Conclude({.nothing_judged = "nobody waited for a key",
                                       .judged = Counted(found_.judged(), "wait"),
                                       .violated = "took longer than " + limit,
                                       .valid = "none of {} took longer than " + limit});
  }

 private:
  void GatherWaits() {
    std::map<std::pair<SessionId, uint16_t>, LongWait> waits;
    for (const KeyWait& wait : WaitsOf(evidence_.history(), disturbances_)) {
      LongWait& all = waits[{wait.who, wait.key}];
      all.session = wait.who;
      all.key = wait.key;
      all.asked.push_back(wait.when);
      all.perhaps_longer_ns = wait.perhaps_until_ns - wait.when.to_ns;
      all.may_hold_from_ns = std::min(all.may_hold_from_ns, MayHoldFromNs(wait));
      if (wait.outcome != EventType::kOk) continue;
      all.granted = true;
      all.hold = wait.hold;
      JudgeWait(all);
      waits.erase({wait.who, wait.key});
    }
    for (const auto& [who, wait] : waits) JudgeWait(wait);
  }

  // Returns when the first acquire within the wait was invoked that was, or may have been, granted;
  // kForeverNs if there is none. The acquire that ends a granted wait does not count.
  [[nodiscard]] int64_t MayHoldFromNs(const KeyWait& wait) const {
    const auto its = acquires_.find({wait.who, wait.key});
    if (its == acquires_.end()) return kForeverNs;
    const auto from = std::ranges::lower_bound(its->second, wait.when.from_ns, {}, &Call::from_ns);
    const auto to = std::ranges::upper_bound(its->second, wait.when.to_ns, {}, &Call::from_ns);
    const bool ended = wait.outcome != EventType::kInvoke;
    std::vector<int64_t> perhaps_granted_ns;
    for (const Call* call : std::ranges::subrange(from, to)) {
      if (ended || call->to_ns <= wait.when.to_ns) perhaps_granted_ns.push_back(call->from_ns);
    }
    const size_t ends_it = wait.outcome == EventType::kOk ? 1 : 0;
    return perhaps_granted_ns.size() > ends_it ? perhaps_granted_ns.front() : kForeverNs;
  }

  // Returns the time to subtract from the wait: the client was blocked, or the machine stalled any
  // process.
  [[nodiscard]] int64_t ExcusedNs(const LongWait& wait) const {
    int64_t excused_ns = 0;
    for (const Span& span : wait.asked)
      excused_ns += BlockedOrStalledNs(disturbances_, wait.session.client, Side::kSession, span);
    return excused_ns;
  }

  void JudgeWait(const LongWait& wait) {
    const int64_t left_ns = limit_ns_ - wait.LengthNs();
    if (left_ns >= 0 && left_ns < wait.perhaps_longer_ns) {
      found_.Judged();
      return found_.Doubt(DescribeWait(wait) + ", and may have waited on, without an answer");
    }
    if (left_ns >= 0) {
      // A short wait without a grant proves nothing.
      wait.granted ? found_.Judged() : found_.PassedOver();
      return found_.NoteMargin(left_ns, wait.Whole().to_ns, [&] { return DescribeWait(wait); });
    }
    found_.Judged();
    const LongWait certain = wait.CertainPart();
    const int64_t beyond_ns = certain.LengthNs() - limit_ns_;
    const int64_t excused_ns = ExcusedNs(certain);
    if (beyond_ns > excused_ns) {
      found_.NoteMargin(-beyond_ns);
      return found_.Violated(certain.Whole().to_ns, [&] { return DescribeLongWait(certain); });
    }
    if (beyond_ns <= 0)
      return found_.Doubt(DescribeWait(wait) +
                          ", but was granted the key meanwhile, or may have been");
    found_.Doubt(fmt::format("{}; stopped or stalled processes explain up to {} of the wait",
                             DescribeWait(certain), ShortTime(excused_ns)));
  }

  [[nodiscard]] std::string DescribeWait(const LongWait& wait) const {
    const std::string tries =
        wait.asked.size() == 1 ? "" : fmt::format(", in {} tries,", wait.asked.size());
    return fmt::format("{} waited for {} from {} on{} for {}{}",
                       OwnerName(disturbances_, wait.session), KeyName(facts_, wait.key),
                       At(wait.Whole().from_ns), tries, ShortTime(wait.LengthNs()),
                       wait.granted ? "" : ", and was not granted it");
  }

  // Whether the hold's acquire was invoked and granted within one try of the wait.
  static bool Overtook(const Hold& hold, const LongWait& wait) {
    return std::ranges::any_of(wait.asked, [&](const Span& asked) {
      return Before(asked.from_ns, hold.asked_ns) && Before(hold.core.from_ns, asked.to_ns);
    });
  }

  [[nodiscard]] Violation DescribeLongWait(const LongWait& wait) const {
    const Span when = wait.Whole();
    int64_t others = 0;
    const Hold* overtook = nullptr;  // the first hold that overtook the wait
    for (const Hold& hold : holds_.all) {
      if (hold.key != wait.key || hold.owner() == wait.session) continue;
      if (hold.core.from_ns < when.from_ns || hold.core.from_ns > when.to_ns) continue;
      ++others;
      if (overtook == nullptr && Overtook(hold, wait)) overtook = &hold;
    }
    Violation violation =
        DescribeExcessWithin(disturbances_, wait.key, when, holds_.Find(wait.hold),
                             fmt::format("{}; others were granted it {} meanwhile",
                                         DescribeWait(wait), Counted(others, "time")),
                             FormatDuration(Duration(limit_ns_)));
    if (overtook != nullptr) violation.second = overtook->Ref();
    return violation;
  }

  const int64_t limit_ns_;
  // The acquires of each session on each key that were, or may have been, granted.
  std::map<std::pair<SessionId, uint16_t>, std::vector<const Call*>> acquires_;
};

}  // namespace

ClaimVerdict CheckMaxWait(const Evidence& evidence, const Limits& limits) {
  const auto limit_ns = LimitOf(evidence.facts(), "max-wait");
  if (!limit_ns) return Undecided({.unit = "waits"}, "the run was given no limit of a wait");
  return WaitLimitChecker(evidence, limits, *limit_ns).Verdict();
}

}  // namespace doublehold
