#include "checker/claims/library/call_timeout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/evidence/claim_checker.h"
#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

enum class Of : uint8_t { kAcquire, kRelease, kExtend };  // Event::value[2]

// A call that was not answered within its timeout.
struct LateCall {
  const Event& event;
  // The call in which it was sent, or after which; null: not in the history.
  const Call* call = nullptr;

  [[nodiscard]] SessionId session() const { return SessionOf(event); }
  [[nodiscard]] int64_t timeout_ns() const { return event.value[0]; }
  [[nodiscard]] int64_t took_ns() const { return event.value[1]; }
  [[nodiscard]] Of of() const { return static_cast<Of>(event.value[2]); }
  // The latest time at which it was sent.
  [[nodiscard]] int64_t sent_ns() const { return event.at_ns - took_ns(); }
  // A span that contains the whole call.
  [[nodiscard]] Span When() const { return {call == nullptr ? 0 : call->from_ns, event.at_ns}; }
};

bool IsAsked(const Call& call) {
  return call.op == Op::kAcquire || (call.op == Op::kRelease && call.hold != 0);
}

// The calls of the sessions that had late calls.
class Asked {
 public:
  Asked(const Evidence& evidence, const std::set<SessionId>& sessions) {
    for (const Call& call : evidence.calls().all) {
      if (!IsAsked(call) || !sessions.contains(call.session)) continue;
      of_session_[call.session].push_back(&call);
      if (call.hold != 0) by_hold_.try_emplace({call.session, call.op, call.hold}, &call);
    }
  }

  // A refused acquire has no hold in its reply: it was answered within its call. A release that
  // nobody invoked belongs to an acquire that was granted too late.
  [[nodiscard]] const Call* CallOf(const Event& reply) const {
    const auto of_hold = [&](Op op) -> const Call* {
      const auto found = by_hold_.find({SessionOf(reply), op, reply.hold});
      return found == by_hold_.end() ? nullptr : found->second;
    };
    const Call* call = nullptr;
    if (reply.value[2] == static_cast<int64_t>(Of::kRelease)) call = of_hold(Op::kRelease);
    if (call == nullptr) call = of_hold(Op::kAcquire);
    if (call != nullptr || reply.value[2] != static_cast<int64_t>(Of::kAcquire)) return call;
    const auto session = of_session_.find(SessionOf(reply));
    if (session == of_session_.end()) return nullptr;
    const auto after = std::ranges::lower_bound(session->second, reply.at_ns, {}, &Call::from_ns);
    if (after == session->second.begin()) return nullptr;
    const Call* open = *std::prev(after);
    const bool is_it = open->op == Op::kAcquire && open->hold == 0 && reply.at_ns <= open->to_ns;
    return is_it ? open : nullptr;
  }

 private:
  std::map<SessionId, std::vector<const Call*>> of_session_;
  std::map<std::tuple<SessionId, Op, uint64_t>, const Call*> by_hold_;
};

class CallTimeoutChecker : ClaimChecker {
 public:
  CallTimeoutChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "calls",
                     {.what = "least time left of a late call's time-out and grace",
                      .missed = "longest that a call took beyond its time-out and grace"}) {}

  ClaimVerdict Verdict() && {
    if (!facts_.library)
      return std::move(found_).Undecided("no library was asked: the lock is a built-in one");
    if (holds_.broken) return std::move(found_).Undecided(*holds_.broken);
    if (!calls_.complete) found_.Doubt("records were lost: some call may have been late");
    FindLate();
    found_.Judged(CountSent());
    // Without a sent call, a late reply may belong to an acquire that failed without a request.
    if (found_.judged() > 0) std::ranges::for_each(late_, [&](const LateCall& l) { Judge(l); });
    const std::string limit =
        fmt::format("within its time-out and {}", FormatDuration(facts_.grace));
    return std::move(found_).Conclude({.nothing_judged = "no call of the library was answered",
                                       .judged = Counted(found_.judged(), "call"),
                                       .violated = "had no answer " + limit,
                                       .valid = "each of {} had its answer " + limit});
  }

 private:
  void FindLate() {
    std::set<SessionId> sessions;
    for (const Event& event : evidence_.history().events) {
      if (event.op != Op::kLateReply || event.client <= kReferee) continue;
      late_.push_back({event});
      sessions.insert(SessionOf(event));
    }
    const Asked asked(evidence_, sessions);
    for (LateCall& late : late_) {
      late.call = asked.CallOf(late.event);
      under_way_[late.session()].push_back(&late);
    }
  }

  // While a late call is under way, a session sends nothing else.
  [[nodiscard]] bool WasSent(const Call& call) const {
    const auto session = under_way_.find(call.session);
    if (session == under_way_.end()) return true;
    const auto& late = session->second;
    const auto first = std::ranges::lower_bound(
        late, call.to_ns, {}, [](const LateCall* one) { return one->event.at_ns; });
    return first == late.end() || (*first)->call == &call || call.from_ns < (*first)->sent_ns();
  }

  [[nodiscard]] bool WasEverKilled(int32_t client) const {
    return std::ranges::any_of(disturbances_.episodes, [&](const FaultEpisode& episode) {
      return episode.client == client && IsCrash(FaultFor(facts_, episode));
    });
  }

  // Calls of killed clients for which it is unknown whether they were answered or even sent, since
  // a killed client records nothing more. An answered later call of the session shows that the
  // earlier ones were answered, unless it is a refusal without a retry hint.
  [[nodiscard]] std::set<const Call*> Unheard() const {
    std::set<const Call*> recorded;
    for (const LateCall& late : late_) recorded.insert(late.call);
    std::map<SessionId, std::vector<const Call*>> unheard;
    for (const Call& call : calls_.all) {
      if (!IsAsked(call)) continue;
      std::vector<const Call*>& its = unheard[call.session];
      const bool tells_nothing = call.op == Op::kAcquire && call.answer[0] == 0;
      if (call.outcome == EventType::kInfo && !recorded.contains(&call)) {
        its.push_back(&call);
      } else if (call.outcome == EventType::kFail && tells_nothing) {
        if (!its.empty()) its.push_back(&call);
      } else {
        its.clear();
      }
    }
    std::set<const Call*> all;
    for (const auto& [session, its] : unheard) {
      if (WasEverKilled(session.client)) all.insert(its.begin(), its.end());
    }
    return all;
  }

  [[nodiscard]] int64_t CountSent() const {
    const std::set<const Call*> unheard = Unheard();
    int64_t sent = 0;
    for (const LateCall& late : late_) {
      const bool its = late.call != nullptr && late.call->to_ns < kForeverNs &&
                       (late.call->op == Op::kAcquire) == (late.of() == Of::kAcquire) &&
                       late.of() != Of::kExtend && WasSent(*late.call);
      if (!its) ++sent;  // its session did not invoke it, or not at that time
    }
    return sent + std::ranges::count_if(calls_.all, [&](const Call& call) {
             return IsAsked(call) && call.to_ns < kForeverNs && WasSent(call) &&
                    !unheard.contains(&call);
           });
  }

  [[nodiscard]] bool WasKilled(const LateCall& late) const {
    return std::ranges::any_of(
        disturbances_.EpisodesWithin(late.When()), [&](const FaultEpisode* episode) {
          return episode->client == late.event.client && IsCrash(FaultFor(facts_, *episode));
        });
  }

  void Judge(const LateCall& late) {
    const int64_t still_ns =
        BlockedTimeNs(disturbances_, late.event.client, Side::kSession, late.When());
    const int64_t left_ns = late.timeout_ns() + grace_ns_ - (late.took_ns() - still_ns);
    const bool answered = late.event.type == EventType::kOk;
    if (left_ns < 0 && !WasKilled(late)) {
      const int64_t due_ns = late.sent_ns() + late.timeout_ns() + grace_ns_;
      found_.NoteMargin(left_ns);
      return found_.Violated(due_ns, [&] { return Tell(late, still_ns, due_ns); });
    }
    const bool in_time = late.took_ns() <= late.timeout_ns() + grace_ns_;
    if (!answered || !in_time) return Doubt(late, in_time);
    found_.NoteMargin(left_ns, late.event.at_ns, [&] {
      return fmt::format("{} with {} of its time-out and grace left", What(late),
                         ShortTime(left_ns));
    });
  }

  [[nodiscard]] Violation Tell(const LateCall& late, int64_t still_ns, int64_t due_ns) const {
    Violation violation{.key = KeyName(disturbances_.facts, late.event.key),
                        .from_ns = late.call == nullptr ? late.sent_ns() : late.call->from_ns,
                        .to_ns = late.event.at_ns,
                        .sentence = What(late)};
    if (const Hold* hold = holds_.Find(late.event.hold)) violation.first = hold->Ref();
    if (still_ns > 0) {
      violation.sentence += fmt::format(", for {} of which at most it stood still",
                                        FormatDuration(Rounded(still_ns)));
    }
    const FaultEpisode* fault = FaultBehind(late, due_ns);
    if (fault != nullptr) violation.fault = fault->fault;
    violation.sentence +=
        "; " + (fault == nullptr ? "no fault was active" : FaultClause(disturbances_, *fault));
    return violation;
  }

  // The fault to name for a late call, among those active before it became late. Prefers a fault on
  // what the client waits for, then one on servers. Last comes a fault that stopped the client,
  // whose time is subtracted, or one on another client. Of equals the last.
  [[nodiscard]] const FaultEpisode* FaultBehind(const LateCall& late, int64_t due_ns) const {
    const auto rank = [&](const FaultEpisode& episode) {
      if (episode.client > 0 && episode.client != late.event.client) return 0;
      const FaultTraits does = TraitsOf(FaultFor(facts_, episode));
      const bool keeps =
          does.Has(FaultTrait::kSlows) || (does.Has(FaultTrait::kStops) && episode.node < 0);
      if (episode.client > 0) return keeps ? 1 : 3;
      return 2;
    };
    const FaultEpisode* best = nullptr;
    const int64_t from_ns = late.When().from_ns - ToNs(facts_.lease);
    for (const FaultEpisode* episode : disturbances_.EpisodesWithin({from_ns, due_ns})) {
      if (best == nullptr || rank(*best) <= rank(*episode)) best = episode;
    }
    return best;
  }

  void Doubt(const LateCall& late, bool in_time) {
    found_.Doubt(fmt::format("{}, {}", What(late),
                             in_time ? "and was not waited for any longer"
                                     : "which what stopped or stalled a process may explain"));
  }

  static Duration Rounded(int64_t ns) {
    return std::chrono::round<std::chrono::milliseconds>(Duration(ns));
  }

  [[nodiscard]] std::string What(const LateCall& late) const {
    constexpr std::array<std::string_view, 3> kNames{"acquire", "release", "extension"};
    const auto of = std::clamp<int64_t>(late.event.value[2], 0, kNames.size() - 1);
    const bool answered = late.event.type == EventType::kOk;
    return fmt::format("{}'s {}, sent by {}, was to be answered within {} and {} {}",
                       OwnerName(disturbances_, late.session()), kNames[static_cast<size_t>(of)],
                       At(late.sent_ns()), FormatDuration(Rounded(late.timeout_ns())),
                       answered ? "was answered after" : "was not answered at all in the",
                       FormatDuration(Rounded(late.took_ns())) +
                           (answered ? "" : " that it was waited for, until its session ended"));
  }

  const int64_t grace_ns_ = ToNs(facts_.grace);
  std::vector<LateCall> late_;
  std::map<SessionId, std::vector<const LateCall*>> under_way_;  // sorted by the time of the record
};

}  // namespace

ClaimVerdict CheckCallTimeout(const Evidence& evidence, const Limits& limits) {
  return CallTimeoutChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
