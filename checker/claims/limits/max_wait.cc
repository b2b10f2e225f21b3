#include "checker/claims/limits/max_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/claims/limits/limit.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/measures/waits.h"
#include "checker/sentences/violation_text.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

// The waits of one session for one key since its last grant of that key.
struct LongWait {
  SessionId session;
  uint16_t key = 0;
  std::vector<Span> asked;
  bool granted = false;
  uint64_t hold = 0;              // the hold that it was granted
  int64_t perhaps_longer_ns = 0;  // how much longer an unanswered wait may have been
  // The session was or may have been granted the key meanwhile, and released it to wait on.
  bool had_it_meanwhile = false;

  [[nodiscard]] int64_t LengthNs() const {
    int64_t length_ns = 0;
    for (const Span& span : asked) length_ns += span.to_ns - span.from_ns;
    return length_ns;
  }
  [[nodiscard]] Span Whole() const { return {asked.front().from_ns, asked.back().to_ns}; }
};

class WaitLimitChecker {
 public:
  WaitLimitChecker(const Evidence& evidence, const Limits& limits, int64_t limit_ns)
      : evidence_(evidence), scene_(evidence.scene()), stories_(limits), limit_ns_(limit_ns) {}

  ClaimVerdict Verdict() && {
    ClaimVerdict verdict{.unit = "waits"};
    if (evidence_.holds().broken) return Undecided(std::move(verdict), *evidence_.holds().broken);
    if (!evidence_.calls().complete)
      return Undecided(std::move(verdict), "records were lost: not all grants may be known");
    Gather();
    verdict.count = count_;
    verdict.opportunities = judged_;
    if (count_ == 0 && !doubt_.empty()) return Undecided(std::move(verdict), doubt_);
    if (judged_ == 0) return Undecided(std::move(verdict), "nobody waited for a key");
    if (const auto why = WhyTooLittle(judged_, passed_over_, "waits"); why && count_ == 0)
      return Undecided(std::move(verdict), *why);
    const std::string of = Counted(judged_, "wait");
    const std::string limit = FormatDuration(Duration(limit_ns_));
    if (auto margin = std::move(left_).Take()) verdict.margins.push_back(std::move(*margin));
    return Decided(std::move(verdict), std::move(stories_),
                   fmt::format("{} of {} took longer than {}", count_, of, limit),
                   fmt::format("none of {} took longer than {}", of, limit));
  }

 private:
  void Gather() {
    std::map<std::pair<SessionId, uint16_t>, LongWait> waits;
    for (const KeyWait& wait : WaitsOf(evidence_.history(), scene_)) {
      LongWait& all = waits[{wait.who, wait.key}];
      all.session = wait.who;
      all.key = wait.key;
      all.asked.push_back(wait.when);
      all.perhaps_longer_ns = wait.perhaps_until_ns - wait.when.to_ns;
      all.had_it_meanwhile = all.had_it_meanwhile || HadItWithin(wait);
      if (wait.outcome != EventType::kOk) continue;
      all.granted = true;
      all.hold = wait.hold;
      Judge(all);
      waits.erase({wait.who, wait.key});
    }
    for (const auto& [who, wait] : waits) Judge(wait);
  }

  // The last acquire of a granted wait is the one that ends it.
  [[nodiscard]] bool HadItWithin(const KeyWait& wait) const {
    const auto& calls = evidence_.calls().all;
    const auto from = std::ranges::lower_bound(calls, wait.when.from_ns, {}, &Call::from_ns);
    const auto to = std::ranges::upper_bound(calls, wait.when.to_ns, {}, &Call::from_ns);
    int64_t had = wait.outcome == EventType::kOk ? -1 : 0;
    for (const Call& call : std::ranges::subrange(from, to)) {
      const bool its = call.op == Op::kAcquire && call.session == wait.who && call.key == wait.key;
      if (its && call.to_ns <= wait.when.to_ns && call.outcome != EventType::kFail) ++had;
    }
    return had > 0;
  }

  // The time to subtract: the client was blocked, or the machine stalled any process.
  [[nodiscard]] int64_t ExcusedNs(const LongWait& wait) const {
    int64_t excused_ns = 0;
    for (const Span& span : wait.asked) {
      excused_ns += BlockedTimeNs(scene_, wait.session.client, Side::kSession, span);
      for (const Stall* stall : scene_.StallsWithin(span)) {
        excused_ns +=
            std::min(span.to_ns, stall->when.to_ns) - std::max(span.from_ns, stall->when.from_ns);
      }
    }
    return excused_ns;
  }

  void Judge(const LongWait& wait) {
    const int64_t left_ns = limit_ns_ - wait.LengthNs();
    if (left_ns >= 0 && left_ns < wait.perhaps_longer_ns) {
      ++judged_;
      if (doubt_.empty()) doubt_ = What(wait) + ", and may have waited on, without an answer";
      return;
    }
    if (left_ns >= 0) {
      ++(wait.granted ? judged_ : passed_over_);
      if (!left_.IsNear(left_ns)) return left_.Add(left_ns);
      return left_.Add(left_ns, wait.Whole().to_ns, What(wait));
    }
    ++judged_;
    if (wait.had_it_meanwhile) {
      if (doubt_.empty()) doubt_ = What(wait) + ", and had it meanwhile, or may have had it";
      return;
    }
    const int64_t excused_ns = ExcusedNs(wait);
    if (left_ns + excused_ns >= 0) {
      if (doubt_.empty())
        doubt_ = fmt::format("{}, of which what stopped or stalled a process took up to {}",
                             What(wait), ShortTime(excused_ns));
      return;
    }
    ++count_;
    left_.Add(left_ns);
    if (!stories_.Wanted()) return stories_.SawAt(wait.Whole().to_ns);
    stories_.Add(Tell(wait));
  }

  [[nodiscard]] std::string What(const LongWait& wait) const {
    const std::string tries =
        wait.asked.size() == 1 ? "" : fmt::format(", in {} tries,", wait.asked.size());
    return fmt::format("{} waited for {} from {} on{} for {}{}", OwnerName(scene_, wait.session),
                       KeyName(scene_.facts, wait.key), At(wait.Whole().from_ns), tries,
                       ShortTime(wait.LengthNs()), wait.granted ? "" : ", and was not granted it");
  }

  // Whether the hold was acquired and granted within one try of the wait.
  static bool Overtook(const Hold& hold, const LongWait& wait) {
    return std::ranges::any_of(wait.asked, [&](const Span& asked) {
      return Before(asked.from_ns, hold.asked_ns) && Before(hold.core.from_ns, asked.to_ns);
    });
  }

  [[nodiscard]] Violation Tell(const LongWait& wait) const {
    const Span when = wait.Whole();
    int64_t others = 0;
    const Hold* overtook = nullptr;  // the first that overtook
    for (const Hold& hold : evidence_.holds().all) {
      if (hold.key != wait.key || hold.owner() == wait.session) continue;
      if (hold.core.from_ns < when.from_ns || hold.core.from_ns > when.to_ns) continue;
      ++others;
      if (overtook == nullptr && Overtook(hold, wait)) overtook = &hold;
    }
    Violation violation{
        .key = KeyName(scene_.facts, wait.key), .from_ns = when.from_ns, .to_ns = when.to_ns};
    if (const Hold* own = evidence_.holds().Find(wait.hold)) violation.first = own->Ref();
    if (overtook != nullptr) violation.second = overtook->Ref();
    const std::vector<const FaultEpisode*> faults = scene_.EpisodesWithin(when);
    if (!faults.empty()) violation.fault = faults.front()->fault;
    violation.sentence = fmt::format("{}; others were granted it {} meanwhile; {}", What(wait),
                                     Counted(others, "time"), FaultsClause(scene_, faults));
    return violation;
  }

  const Evidence& evidence_;
  const Scene& scene_;
  ViolationLog stories_;
  const int64_t limit_ns_;
  MarginFinder left_{{.what = "least time left of the limit of a wait",
                      .missed = "longest that a wait took beyond the limit"}};
  int64_t count_ = 0;
  int64_t judged_ = 0;
  int64_t passed_over_ = 0;  // not granted, but not too long either
  std::string doubt_;
};

}  // namespace

ClaimVerdict CheckMaxWait(const Evidence& evidence, const Limits& limits) {
  const auto limit_ns = LimitOf(evidence.facts(), "max-wait");
  if (!limit_ns) return Undecided({.unit = "waits"}, "the run was given no limit of a wait");
  return WaitLimitChecker(evidence, limits, *limit_ns).Verdict();
}

}  // namespace doublehold
