#include "checker/testing/oracle/recorded_calls.h"

#include <algorithm>
#include <set>

namespace doublehold::brute {
namespace {

// Returns the span that the hold of this grant would have without a release.
HoldSpan MakeUnreleasedSpan(const History& history, const RecordedCall& grant) {
  HoldSpan span{.grant = grant, .shared = grant.answer[2] != 0, .end = grant.to};
  const auto& events = history.events;
  const auto is_own = [&](const Event& event) {
    return SessionOf(event) == grant.session && event.task == TaskKind::kSession;
  };
  size_t last_use = 0;
  std::set<uint64_t> unknown;
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_own(events[i]) && events[i].hold == grant.hold) last_use = i;
    if (events[i].op == Op::kAcquire && events[i].type == EventType::kInfo)
      unknown.insert(events[i].hold);
  }
  bool again = false, has_left = false;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool invokes = event.type == EventType::kInvoke, own = is_own(event);
    const bool uses_hold = event.hold == grant.hold;
    again |= own && i > last_use && invokes && event.op == Op::kAcquire;
    // An extension of the hold after its client left, or a release of an unknown acquire, makes it
    // uncertain whether the service keeps the lock.
    const bool is_uncertain =
        (uses_hold && has_left && invokes && event.op == Op::kExtend) ||
        (own && i > grant.answered_at && event.op == Op::kRelease && unknown.contains(event.hold));
    if (again || is_uncertain) span.kept_until = std::min(span.kept_until, event.at_ns);
    if (own && !again && !has_left) span.end = std::max(span.end, event.at_ns);
    if (!uses_hold || event.op != Op::kLeave) continue;
    has_left = true;
    span.end = event.at_ns;
    span.end_event = i;
  }
  span.kept_until = std::max(span.end, span.kept_until);
  return span;
}

}  // namespace

std::vector<RecordedCall> ListRecordedCalls(const History& history, const std::vector<Op>& ops) {
  std::vector<RecordedCall> calls;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (std::ranges::find(ops, event.op) == ops.end() || event.client <= kReferee) continue;
    const auto is_own = [&](const RecordedCall& call) { return call.session == SessionOf(event); };
    if (event.type == EventType::kInvoke) {
      const auto before = std::find_if(calls.rbegin(), calls.rend(), is_own);
      calls.push_back({.op = event.op,
                       .session = SessionOf(event),
                       .hold = event.hold,
                       .from = event.at_ns,
                       .asked = event.value,
                       .before = static_cast<int>(calls.rend() - before) - 1,
                       .invoked_at = i});
      continue;
    }
    const auto open = std::find_if(calls.rbegin(), calls.rend(), [&](const RecordedCall& call) {
      return is_own(call) && call.op == event.op && call.to == kUnbounded &&
             (call.hold == event.hold || call.hold == 0);
    });
    if (open == calls.rend()) continue;
    open->to = event.at_ns;
    open->outcome = event.type;
    open->answer = event.value;
    open->answered_at = i;
    if (event.hold != 0) open->hold = event.hold;
  }
  return calls;
}

std::vector<Step> MakeSteps(const std::vector<RecordedCall>& calls) {
  std::vector<Step> steps;
  for (const RecordedCall& call : calls) steps.push_back(call.AsStep());
  return steps;
}

std::vector<HoldSpan> ExtractHoldSpans(const History& history) {
  const std::vector<RecordedCall> calls = ListRecordedCalls(history, {Op::kAcquire, Op::kRelease});
  std::vector<HoldSpan> spans;
  for (const RecordedCall& grant : calls) {
    if (grant.op != Op::kAcquire || !grant.Ok()) continue;
    HoldSpan span = MakeUnreleasedSpan(history, grant);
    for (const RecordedCall& release : calls) {
      if (release.op != Op::kRelease || release.hold != grant.hold) continue;
      span.end = span.kept_until = release.from;
      span.end_event = release.invoked_at;
      if (!release.IsUnknown()) span.freed_by = release.to;
    }
    spans.push_back(span);
  }
  return spans;
}

}  // namespace doublehold::brute
