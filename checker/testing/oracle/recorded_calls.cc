#include "checker/testing/oracle/recorded_calls.h"

#include <algorithm>
#include <set>

namespace doublehold::brute {
namespace {

// As if it were never released.
HoldSpan SpanOfUnreleased(const History& history, const RecordedCall& grant) {
  HoldSpan span{.grant = grant, .shared = grant.answer[2] != 0, .end = grant.to};
  const auto& events = history.events;
  const auto is_own = [&](const Event& event) {
    return SessionOf(event) == grant.session && event.task == TaskKind::kSession;
  };
  size_t last_under_it = 0;
  std::set<uint64_t> unknown;
  for (size_t i = 0; i < events.size(); ++i) {
    if (is_own(events[i]) && events[i].hold == grant.hold) last_under_it = i;
    if (events[i].op == Op::kAcquire && events[i].type == EventType::kInfo)
      unknown.insert(events[i].hold);
  }
  bool again = false, left = false;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const bool invokes = event.type == EventType::kInvoke, own = is_own(event);
    const bool of_it = event.hold == grant.hold;
    again |= own && i > last_under_it && invokes && event.op == Op::kAcquire;
    // A watchdog that goes on, or the release of an unknown acquire, leaves it unclear.
    const bool unclear =
        (of_it && left && invokes && event.op == Op::kExtend) ||
        (own && i > grant.answered_at && event.op == Op::kRelease && unknown.contains(event.hold));
    if (again || unclear) span.kept = std::min(span.kept, event.at_ns);
    if (own && !again && !left) span.end = std::max(span.end, event.at_ns);
    if (!of_it || event.op != Op::kLeave) continue;
    left = true;
    span.end = event.at_ns;
    span.end_event = i;
  }
  span.kept = std::max(span.end, span.kept);
  return span;
}

}  // namespace

std::vector<RecordedCall> CallsIn(const History& history, const std::vector<Op>& ops) {
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
      return is_own(call) && call.op == event.op && call.to == kEver &&
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

std::vector<Step> StepsOf(const std::vector<RecordedCall>& calls) {
  std::vector<Step> steps;
  for (const RecordedCall& call : calls) steps.push_back(call.AsStep());
  return steps;
}

std::vector<HoldSpan> HoldsIn(const History& history) {
  const std::vector<RecordedCall> calls = CallsIn(history, {Op::kAcquire, Op::kRelease});
  std::vector<HoldSpan> spans;
  for (const RecordedCall& grant : calls) {
    if (grant.op != Op::kAcquire || !grant.Ok()) continue;
    HoldSpan span = SpanOfUnreleased(history, grant);
    for (const RecordedCall& release : calls) {
      if (release.op != Op::kRelease || release.hold != grant.hold) continue;
      span.end = span.kept = release.from;
      span.end_event = release.invoked_at;
      if (!release.IsUnknown()) span.gone = release.to;
    }
    spans.push_back(span);
  }
  return spans;
}

}  // namespace doublehold::brute
