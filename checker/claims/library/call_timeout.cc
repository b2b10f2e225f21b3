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

enum class CallKind : uint8_t { kAcquire, kRelease, kExtend };  // Event::value[2]

// A call that was not answered within its timeout.
struct LateCall {
  const Event& event;
  // The call that sent the request. For a release that no session invoked, the acquire that was
  // granted too late. Null if the history has neither.
  const Call* call = nullptr;

  [[nodiscard]] SessionId session() const { return SessionOf(event); }
  [[nodiscard]] int64_t timeout_ns() const { return event.value[0]; }
  [[nodiscard]] int64_t took_ns() const { return event.value[1]; }
  [[nodiscard]] CallKind kind() const { return static_cast<CallKind>(event.value[2]); }
  // The latest time at which the request was sent.
  [[nodiscard]] int64_t sent_ns() const { return event.at_ns - took_ns(); }
  // A span that contains the whole call.
  [[nodiscard]] Span When() const { return {call == nullptr ? 0 : call->from_ns, event.at_ns}; }
};

bool IsTimedCall(const Call& call) {
  return call.op == Op::kAcquire || (call.op == Op::kRelease && call.hold != 0);
}

// The calls of the sessions that had a late call.
class SessionCalls {
 public:
  SessionCalls(const Evidence& evidence, const std::set<SessionId>& sessions) {
    for (const Call& call : evidence.calls().all) {
      if (!IsTimedCall(call) || !sessions.contains(call.session)) continue;
      by_session_[call.session].push_back(&call);
      if (call.hold != 0) by_hold_.try_emplace({call.session, call.op, call.hold}, &call);
    }
  }

  // Returns the call of a late reply; null if the history has none. The reply of a refused acquire
  // names no hold, so its call is the acquire that was pending at the time of the reply. A release
  // that no session invoked belongs to an acquire that was granted too late.
  [[nodiscard]] const Call* FindCall(const Event& reply) const {
    const auto find_by_hold = [&](Op op) -> const Call* {
      const auto found = by_hold_.find({SessionOf(reply), op, reply.hold});
      return found == by_hold_.end() ? nullptr : found->second;
    };
    const Call* call = nullptr;
    if (reply.value[2] == static_cast<int64_t>(CallKind::kRelease))
      call = find_by_hold(Op::kRelease);
    if (call == nullptr) call = find_by_hold(Op::kAcquire);
    if (call != nullptr || reply.value[2] != static_cast<int64_t>(CallKind::kAcquire)) return call;
    const auto session = by_session_.find(SessionOf(reply));
    if (session == by_session_.end()) return nullptr;
    const auto after = std::ranges::lower_bound(session->second, reply.at_ns, {}, &Call::from_ns);
    if (after == session->second.begin()) return nullptr;
    const Call* open = *std::prev(after);
    const bool contains_reply =
        open->op == Op::kAcquire && open->hold == 0 && reply.at_ns <= open->to_ns;
    return contains_reply ? open : nullptr;
  }

 private:
  std::map<SessionId, std::vector<const Call*>> by_session_;
  std::map<std::tuple<SessionId, Op, uint64_t>, const Call*> by_hold_;
};

class CallTimeoutChecker : ClaimChecker {
 public:
  CallTimeoutChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "calls",
                     {.what = "least time left of a late call's timeout and grace",
                      .missed = "longest that a call took beyond its time-out and grace"}) {}

  ClaimVerdict Verdict() && {
    if (!facts_.library)
      return std::move(found_).Undecided("no library was asked: the lock is a built-in one");
    if (holds_.broken) return std::move(found_).Undecided(*holds_.broken);
    if (!calls_.complete) found_.Doubt("records were lost: some call may have been late");
    FindLate();
    found_.Judged(CountSent());
    // If no call was sent, a late reply may belong to an acquire that failed without a request.
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
    const SessionCalls calls(evidence_, sessions);
    for (LateCall& late : late_) {
      late.call = calls.FindCall(late.event);
      late_by_session_[late.session()].push_back(&late);
    }
  }

  // Whether a request was sent for the call: a session sends nothing while a late call is pending.
  [[nodiscard]] bool WasSent(const Call& call) const {
    const auto session = late_by_session_.find(call.session);
    if (session == late_by_session_.end()) return true;
    const auto& late = session->second;
    const auto first = std::ranges::lower_bound(
        late, call.to_ns, {}, [](const LateCall* one) { return one->event.at_ns; });
    return first == late.end() || (*first)->call == &call || call.from_ns < (*first)->sent_ns();
  }

  // Returns the calls of killed clients for which no record shows whether they were answered or
  // even sent. A killed client records nothing more. An answer to a later call of the session shows
  // that the earlier calls were answered. A refusal without a retry hint shows nothing.
  [[nodiscard]] std::set<const Call*> FindUnrecordedCalls() const {
    std::set<const Call*> recorded;
    for (const LateCall& late : late_) recorded.insert(late.call);
    std::map<SessionId, std::vector<const Call*>> unrecorded;
    for (const Call& call : calls_.all) {
      if (!IsTimedCall(call)) continue;
      std::vector<const Call*>& calls = unrecorded[call.session];
      const bool proves_nothing = call.op == Op::kAcquire && call.answer[0] == 0;
      if (call.outcome == EventType::kInfo && !recorded.contains(&call)) {
        calls.push_back(&call);
      } else if (call.outcome == EventType::kFail && proves_nothing) {
        if (!calls.empty()) calls.push_back(&call);
      } else {
        calls.clear();
      }
    }
    std::set<const Call*> all;
    for (const auto& [session, calls] : unrecorded) {
      if (evidence_.disturbed().WasClientKilled(session.client, {-1, kForeverNs}))
        all.insert(calls.begin(), calls.end());
    }
    return all;
  }

  [[nodiscard]] int64_t CountSent() const {
    const std::set<const Call*> unrecorded = FindUnrecordedCalls();
    int64_t sent = 0;
    for (const LateCall& late : late_) {
      const bool is_listed =
          late.call != nullptr && late.call->to_ns < kForeverNs &&
          (late.call->op == Op::kAcquire) == (late.kind() == CallKind::kAcquire) &&
          late.kind() != CallKind::kExtend && WasSent(*late.call);
      if (!is_listed) ++sent;  // the calls counted below do not contain this request
    }
    return sent + std::ranges::count_if(calls_.all, [&](const Call& call) {
             return IsTimedCall(call) && call.to_ns < kForeverNs && WasSent(call) &&
                    !unrecorded.contains(&call);
           });
  }

  void Judge(const LateCall& late) {
    const int64_t blocked_ns =
        BlockedTimeNs(disturbances_, late.event.client, Side::kSession, late.When());
    const int64_t left_ns = late.timeout_ns() + grace_ns_ - (late.took_ns() - blocked_ns);
    const bool answered = late.event.type == EventType::kOk;
    if (left_ns < 0 && !evidence_.disturbed().WasClientKilled(late.event.client, late.When())) {
      const int64_t deadline_ns = late.sent_ns() + late.timeout_ns() + grace_ns_;
      found_.NoteMargin(left_ns);
      return found_.Violated(deadline_ns,
                             [&] { return DescribeViolation(late, blocked_ns, deadline_ns); });
    }
    const bool in_time = late.took_ns() <= late.timeout_ns() + grace_ns_;
    if (!answered || !in_time) return Doubt(late, in_time);
    found_.NoteMargin(left_ns, late.event.at_ns, [&] {
      return fmt::format("{} with {} of its time-out and grace left", DescribeCall(late),
                         ShortTime(left_ns));
    });
  }

  [[nodiscard]] Violation DescribeViolation(const LateCall& late, int64_t blocked_ns,
                                            int64_t deadline_ns) const {
    Violation violation{.key = KeyName(disturbances_.facts, late.event.key),
                        .from_ns = late.call == nullptr ? late.sent_ns() : late.call->from_ns,
                        .to_ns = late.event.at_ns,
                        .sentence = DescribeCall(late)};
    if (const Hold* hold = holds_.Find(late.event.hold)) violation.first = hold->Ref();
    if (blocked_ns > 0) {
      violation.sentence += fmt::format(", for {} of which at most it stood still",
                                        FormatDuration(Rounded(blocked_ns)));
    }
    const FaultEpisode* fault = FindFaultToName(late, deadline_ns);
    if (fault != nullptr) violation.fault = fault->fault;
    violation.sentence +=
        "; " + (fault == nullptr ? "no fault was active" : FaultClause(disturbances_, *fault));
    return violation;
  }

  // Returns the fault to name, among the faults active before `deadline_ns`. Prefers in this order:
  // 1. a fault on the client that did not stop or slow it, such as one on its messages;
  // 2. a fault on no client, such as on servers;
  // 3. a fault that stopped or slowed the client: its time is subtracted;
  // 4. a fault on another client.
  // Among faults of equal rank, returns the last.
  [[nodiscard]] const FaultEpisode* FindFaultToName(const LateCall& late,
                                                    int64_t deadline_ns) const {
    const auto rank = [&](const FaultEpisode& episode) {
      if (episode.client > 0 && episode.client != late.event.client) return 0;
      const FaultTraits does = TraitsOf(FaultFor(facts_, episode));
      const bool blocks =
          does.Has(FaultTrait::kSlows) || (does.Has(FaultTrait::kStops) && episode.node < 0);
      if (episode.client > 0) return blocks ? 1 : 3;
      return 2;
    };
    const FaultEpisode* best = nullptr;
    const int64_t from_ns = late.When().from_ns - ToNs(facts_.lease);
    for (const FaultEpisode* episode : disturbances_.EpisodesWithin({from_ns, deadline_ns})) {
      if (best == nullptr || rank(*best) <= rank(*episode)) best = episode;
    }
    return best;
  }

  void Doubt(const LateCall& late, bool in_time) {
    found_.Doubt(fmt::format("{}, {}", DescribeCall(late),
                             in_time ? "and was not waited for any longer"
                                     : "which what stopped or stalled a process may explain"));
  }

  static Duration Rounded(int64_t ns) {
    return std::chrono::round<std::chrono::milliseconds>(Duration(ns));
  }

  [[nodiscard]] std::string DescribeCall(const LateCall& late) const {
    constexpr std::array<std::string_view, 3> kNames{"acquire", "release", "extension"};
    const auto kind = std::clamp<int64_t>(late.event.value[2], 0, kNames.size() - 1);
    const bool answered = late.event.type == EventType::kOk;
    return fmt::format("{}'s {}, sent by {}, was to be answered within {} and {} {}",
                       OwnerName(disturbances_, late.session()), kNames[static_cast<size_t>(kind)],
                       At(late.sent_ns()), FormatDuration(Rounded(late.timeout_ns())),
                       answered ? "was answered after" : "was not answered at all in the",
                       FormatDuration(Rounded(late.took_ns())) +
                           (answered ? "" : " that it was waited for, until its session ended"));
  }

  const int64_t grace_ns_ = ToNs(facts_.grace);
  std::vector<LateCall> late_;
  std::map<SessionId, std::vector<const LateCall*>> late_by_session_;  // by record time
};

}  // namespace

ClaimVerdict CheckCallTimeout(const Evidence& evidence, const Limits& limits) {
  return CallTimeoutChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
