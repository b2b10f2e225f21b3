#include "checker/claims/library/availability.h"

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

#include "checker/claims/library/excuses.h"
#include "checker/claims/library/free_intervals.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

bool Any(const FaultFact& /*fault*/) { return true; }

// On several nodes, a call that takes longer may have waited in vain for some of them because the
// machine was slow. The timeout of a node is not recorded, but a shorter one would be of no use.
constexpr int64_t kPromptNs = 3'000'000;

bool MayHaveMissedAnswers(const RunFacts& facts, const Call& refused) {
  return facts.nodes > 1 && refused.to_ns - refused.from_ns > kPromptNs;
}

// Since when a session has retried in vain.
struct Retries {
  int64_t since_ns = 0;
  int64_t perhaps_since_ns = 0;  // the same, ignoring calls that may have missed answers of nodes
};

// The acquires of one session on one key.
struct Asking {
  const Call* last = nullptr;
  Retries retries;      // until the last call
  bool waits = false;   // not granted the key since its first acquire
  int64_t back_ns = 0;  // of a waiting session: since when it has retried without a break
  // Start of the free interval in which it was last counted as refused for too long; -1: none.
  int64_t told_of_ns = -1;
};

class AvailabilityChecker : ClaimChecker {
 public:
  AvailabilityChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(
            evidence, limits, "asks for a free key",
            {.what = "least time left of lease and grace when a free key was granted",
             .missed = "longest that a free key could not be had beyond lease and grace"}) {}

  ClaimVerdict Verdict() && {
    if (const auto why = WhyIncomplete("who had the key meanwhile is not known"))
      return std::move(found_).Undecided(*why);
    FindStuck();
    const auto spells = FreeSpells(evidence_);
    for (const auto& [key, of_key] : spells) JudgeKey(key, of_key);
    return std::move(found_).Conclude(
        {.nothing_judged = "nobody asked for a key that was certainly free",
         .judged = Counted(found_.judged(), "ask") + " for a free key",
         .violated = "had no grant within lease and grace",
         .valid = "each of {} had a grant within lease and grace"});
  }

 private:
  struct Moment {
    int64_t at_ns = 0;
    // Sorts after invocations of the same instant, which may have come earlier.
    bool answer = false;
    const Call* call = nullptr;
  };

  // A driver with an unanswered call refuses further calls without asking the lock.
  void FindStuck() {
    if (!facts_.library) return;
    std::vector<const Call*> by_answer;
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire || call.op == Op::kRelease) by_answer.push_back(&call);
    }
    std::ranges::stable_sort(by_answer, {}, &Call::to_ns);
    std::map<SessionId, bool> stuck;
    for (const Call* call : by_answer) {
      bool& its = stuck[call->session];
      if (call->outcome == EventType::kInfo) its = true;
      if (call->Ok() || (call->outcome == EventType::kFail && Hinted(*call))) its = false;
      if (its) stuck_.insert(call);
    }
  }

  void JudgeKey(uint16_t key, const std::vector<FreeInterval>& spells) {
    std::vector<Moment> moments;
    for (const Call& call : calls_.all) {
      if (call.op != Op::kAcquire || call.key != key) continue;
      const Span during{call.from_ns, call.to_ns};
      if (call.outcome == EventType::kInfo && !WasActive(disturbances_, during, Any))
        found_.PassedOver();
      moments.push_back({call.from_ns, false, &call});
      if (call.to_ns < kForeverNs) moments.push_back({call.to_ns, true, &call});
    }
    std::ranges::stable_sort(moments, {},
                             [](const Moment& m) { return std::pair(m.at_ns, m.answer); });
    asking_.clear();
    retries_.clear();
    for (const Moment& moment : moments) {
      if (!moment.answer) {
        Invoked(*moment.call);
        continue;
      }
      const auto after =
          std::ranges::lower_bound(spells, moment.call->from_ns, {},
                                   [](const FreeInterval& spell) { return spell.when.from_ns; });
      Answered(*moment.call, after == spells.begin() ? nullptr : &*std::prev(after));
    }
  }

  void Invoked(const Call& call) {
    Asking& asking = asking_[call.session];
    const Call* last = asking.last;
    const bool perhaps_goes_on = last != nullptr && last->outcome == EventType::kFail &&
                                 !stuck_.contains(last) &&
                                 call.from_ns - last->to_ns <= ToNs(facts_.lease);
    const bool goes_on = perhaps_goes_on && !MayHaveMissedAnswers(facts_, *last);
    if (!perhaps_goes_on) asking.retries.perhaps_since_ns = call.from_ns;
    if (!goes_on) asking.retries.since_ns = call.from_ns;
    if (!asking.waits) asking.back_ns = 0;
    if (asking.waits && !goes_on) asking.back_ns = call.from_ns;
    retries_[&call] = asking.retries;
    asking.last = &call;
    asking.waits = true;
  }

  // `spell`: the last free interval that had begun when the call was invoked; null: none.
  void Answered(const Call& call, const FreeInterval* spell) {
    Asking& asking = asking_[call.session];
    if (call.outcome == EventType::kFail && spell != nullptr &&
        Before(call.to_ns, spell->when.to_ns)) {
      Refused(call, *spell, asking.told_of_ns);
    }
    if (!call.Ok()) return;
    // The session may have invoked its next acquire at the same instant.
    if (asking.last == &call) asking.waits = false;
    if (spell != nullptr && spell->when.to_ns == call.from_ns) Granted(call, *spell);
  }

  void Granted(const Call& call, const FreeInterval& spell) {
    const int64_t since_ns = std::max(spell.when.from_ns, retries_.at(&call).since_ns);
    const int64_t left_ns = patience_ns_ - (call.to_ns - since_ns);
    if (UndisturbedSince(disturbances_, {since_ns, call.to_ns}, call.session.client) != since_ns) {
      return left_ns < 0 ? found_.PassedOver() : found_.Judged();
    }
    found_.Judged();
    const int64_t stood_ns =
        BlockedTimeNs(disturbances_, call.session.client, Side::kSession, {since_ns, call.to_ns});
    // The last call may have been granted long before its answer.
    if (left_ns + stood_ns < 0 && found_.IsClean() && !WasHadBeside(call)) {
      found_.Doubt(fmt::format(
          "{} asked for the free key from {} on, and was granted it only at {}, though perhaps in "
          "time",
          OwnerName(disturbances_, call.session), At(since_ns), At(call.to_ns)));
    }
    found_.NoteMargin(left_ns, call.to_ns, [&] {
      return fmt::format(
          "{} asked for the free key from {} on, and was granted it at {}, with {} of lease and "
          "grace left",
          OwnerName(disturbances_, call.session), At(since_ns), At(call.to_ns), ShortTime(left_ns));
    });
  }

  // Whether another acquire, invoked during this call, may have been granted the key first.
  [[nodiscard]] bool WasHadBeside(const Call& call) const {
    return std::ranges::any_of(calls_.all, [&](const Call& other) {
      return other.op == Op::kAcquire && other.key == call.key && &other != &call &&
             other.outcome != EventType::kFail && other.from_ns >= call.from_ns &&
             other.from_ns <= call.to_ns;
    });
  }

  void Refused(const Call& call, const FreeInterval& spell, int64_t& told_of_ns) {
    const int64_t free_ns = spell.when.from_ns;
    const Retries& retries = retries_.at(&call);
    int64_t since_ns = free_ns;
    if (!SaysThatItIsTaken(call)) since_ns = std::max(since_ns, retries.since_ns);
    const int64_t perhaps_ns = std::max(free_ns, retries.perhaps_since_ns);
    if (call.from_ns - since_ns <= patience_ns_ && call.to_ns - perhaps_ns <= patience_ns_) return;
    const auto over = UndisturbedSince(disturbances_, {free_ns, call.to_ns}, call.session.client);
    if (!over) return Doubt(call, spell, "what a fault left behind may have been in its way");
    since_ns = std::max(since_ns, *over);
    const int64_t left_ns = LeftNs({since_ns, call.from_ns}, call);
    if (left_ns >= 0) {
      const bool asked = !stuck_.contains(&call);
      if (asked && LeftNs({std::max(perhaps_ns, *over), call.to_ns}, call) < 0)
        Doubt(call, spell, "how often it asked within its calls is not known");
      return;
    }
    if (const std::string why = WhyPerhapsRightly(call, since_ns); !why.empty())
      return Doubt(call, spell, why);
    found_.NoteMargin(left_ns);
    if (told_of_ns == free_ns) return;
    told_of_ns = free_ns;
    found_.Judged();
    found_.Violated(call.to_ns, [&] { return TellRefused(call, spell); });
  }

  [[nodiscard]] Violation TellRefused(const Call& call, const FreeInterval& spell) const {
    const int64_t since_ns = retries_.at(&call).since_ns;
    const std::string asked =
        since_ns < call.from_ns ? fmt::format(" and asked in vain since {}", At(since_ns)) : "";
    Violation violation = DescribeWrongOperation(
        disturbances_, {.by = call.session,
                        .key = call.key,
                        .when = {call.from_ns, call.to_ns},
                        .what = Tell(call, spell, asked) + TellOfOthers(call),
                        .of_service = true});
    if (spell.last != nullptr) violation.first = spell.last->Ref();
    // The consequences of a fault may last, so an earlier fault is named too.
    NameEarlierFault(disturbances_, violation, Any);
    return violation;
  }

  void Doubt(const Call& refused, const FreeInterval& spell, std::string_view why) {
    if (!found_.IsClean()) return;
    found_.Doubt(fmt::format("{} {}; {}", OwnerName(disturbances_, refused.session),
                             Tell(refused, spell, ""), why));
  }

  // How much of lease and grace a span leaves, without the time in which the client was blocked.
  // Below 0: it was longer.
  [[nodiscard]] int64_t LeftNs(const Span& when, const Call& refused) const {
    if (when.from_ns >= when.to_ns) return patience_ns_;
    const int64_t stood_ns =
        BlockedTimeNs(disturbances_, refused.session.client, Side::kSession, when);
    return patience_ns_ - (when.to_ns - when.from_ns - stood_ns);
  }

  static bool Hinted(const Call& refused) { return refused.answer[0] > 0; }

  [[nodiscard]] bool SaysThatItIsTaken(const Call& refused) const {
    return facts_.nodes <= 1 && (!facts_.library || Hinted(refused));
  }

  // Other sessions that acquired before this refusal and were not granted the key since.
  [[nodiscard]] std::vector<SessionId> OthersThatWait(const Call& refused) const {
    std::vector<SessionId> others;
    for (const auto& [session, asking] : asking_) {
      if (asking.waits && session != refused.session) others.push_back(session);
    }
    return others;
  }

  // Since when this session, and each that may be ahead of it in a queue, retries without a break.
  // Nothing: one of them may have given up.
  [[nodiscard]] std::optional<int64_t> AllAskSince(const Call& refused) const {
    int64_t since_ns = retries_.at(&refused).since_ns;
    for (const SessionId& other : OthersThatWait(refused)) {
      const Asking& asking = asking_.at(other);
      const Call& last = *asking.last;
      const bool comes_again = last.outcome == EventType::kFail && !stuck_.contains(&last) &&
                               refused.to_ns - last.to_ns <= ToNs(facts_.lease);
      if (last.to_ns < refused.to_ns && !comes_again) return std::nullopt;
      since_ns = std::max(since_ns, asking.back_ns);
    }
    return since_ns;
  }

  // Why a refusal of a free key may have been right; empty: it was wrong.
  [[nodiscard]] std::string WhyPerhapsRightly(const Call& refused, int64_t free_since_ns) const {
    if (facts_.nodes <= 1 && !OthersThatWait(refused).empty()) {
      const std::optional<int64_t> all_ask_ns = AllAskSince(refused);
      if (!all_ask_ns ||
          LeftNs({std::max(free_since_ns, *all_ask_ns), refused.from_ns}, refused) >= 0)
        return "only if another stood before it in a queue is that right";
    }
    if (MayHaveMissedAnswers(facts_, refused))
      return "it took so long that some of the nodes may have answered too late";
    if (stuck_.contains(&refused))
      return "its driver may have asked for nothing, a call before not being answered";
    return "";
  }

  [[nodiscard]] std::string Tell(const Call& refused, const FreeInterval& spell,
                                 const std::string& asked) const {
    const std::string free =
        spell.last != nullptr
            ? fmt::format("which nobody had since {}, when {} was the last to have it",
                          At(spell.when.from_ns), OwnerName(disturbances_, spell.last->owner()))
            : fmt::format("which nobody had since {}", At(spell.when.from_ns));
    return fmt::format("asked for the key at {},{}{} {}, and was refused it at {}",
                       At(refused.from_ns), asked, asked.empty() ? "" : ",", free,
                       At(refused.to_ns));
  }

  // On one node, where one of these sessions should have been granted the key in any order.
  [[nodiscard]] std::string TellOfOthers(const Call& refused) const {
    if (facts_.nodes > 1) return "";
    std::vector<std::string> names;
    for (const SessionId& other : OthersThatWait(refused))
      names.push_back(OwnerName(disturbances_, other));
    if (names.empty()) return "";
    return fmt::format("; nor was {} granted it, who asked too", fmt::join(names, " or "));
  }

  const int64_t patience_ns_ = ToNs(facts_.lease + facts_.grace);
  std::set<const Call*> stuck_;  // refusals that may not have reached the lock
  std::map<SessionId, Asking> asking_;
  std::map<const Call*, Retries> retries_;  // until each call
};

}  // namespace

ClaimVerdict CheckAvailability(const Evidence& evidence, const Limits& limits) {
  return AvailabilityChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
