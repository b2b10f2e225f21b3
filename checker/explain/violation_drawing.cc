#include "checker/explain/violation_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

std::string UseLabel(const Call& use) {
  if (!use.Ok()) {
    return fmt::format("{} {}", Name(use.op),
                       use.outcome == EventType::kFail ? "refused" : "unanswered");
  }
  if (use.op == Op::kRead) return fmt::format("read {}", use.answer[0]);
  if (use.op == Op::kWrite) return fmt::format("wrote {}", use.answer[1]);
  if (use.op == Op::kSave) return fmt::format("saved {}", use.asked[0]);
  return fmt::format("saw {}/{}", use.answer[0], use.answer[1]);
}

class LaneBuilder {
 public:
  explicit LaneBuilder(const ViolationContext& record) : record_(record) {}

  void AddHold(const Hold& hold) {
    if (!holds_.insert(hold.hold).second) return;
    sessions_.insert({hold.owner(), hold.key});
    DrawnLane& lane = LaneFor(hold.owner());
    times_.insert({hold.core.from_ns, hold.core.to_ns});
    AddSpans(lane, hold);
    if (const Call* grant = record_.GrantOf(hold.hold)) {
      AddCall(lane, *grant, {'A', hold.shared ? 'b' : 'a', '='});
      if (grant->answer[1] != 0) lane.marks.back().text = fmt::format("token {}", grant->answer[1]);
    } else {
      lane.marks.push_back({hold.core.from_ns, 'a', '='});
    }
    for (const Renewal& renewal : record_.RenewalsOf(hold.hold)) {
      lane.marks.push_back({renewal.from_ns, 'E', '-'});
      if (renewal.to_ns < kForeverNs)
        lane.marks.push_back({renewal.to_ns, LetterFor(renewal.outcome, 'e'), '='});
    }
    if (hold.valid_until_ns < hold.core.to_ns && hold.valid_until_ns > hold.core.from_ns) {
      lane.marks.push_back({hold.valid_until_ns, '!', kAsBefore, "lease over"});
      times_.insert(hold.valid_until_ns);
    }
    for (const Call* use : record_.UsesOf(hold)) {
      if (use->key == hold.key) AddUse(lane, *use);
    }
    if (const Call* release = record_.ReleaseOf(hold)) {
      AddCall(lane, *release, {'R', release->answer[0] == 1 ? 'f' : 'r', ' '});
    } else {
      lane.marks.push_back({hold.core.to_ns, '.', ' '});
    }
    Widen(hold.core.from_ns);
    Widen(hold.core.to_ns);
  }

  // Adds a release by another session.
  void AddForeignRelease(const Call& call) {
    sessions_.insert({call.session, call.key});
    DrawnLane& lane = LaneFor(call.session);
    const bool known = std::ranges::any_of(lane.marks, [&](const DrawnMark& mark) {
      return mark.letter == 'R' && mark.at_ns == call.from_ns;
    });
    if (!known) AddCall(lane, call, {'R', 'f', ' '});
  }

  // Adds when each session may, and must, have the lock. Requires that all holds and calls were
  // added before.
  void AddPossessions() {
    if (!record_.calls.complete || record_.holds.broken) return;
    for (const auto& [session, key] : sessions_) {
      std::vector<DrawnSpan>& spans = LaneFor(session).spans;
      const auto add = [&](const Span& span, SpanState state) {
        if (spans.size() < kMostMarks) spans.push_back({span.from_ns, span.to_ns, state});
      };
      const std::vector<Span> must =
          record_.evidence.must_have().Spans(key, session, {from_ns_, to_ns_});
      for (const Span& may : MaySpans(session, key, must)) add(may, SpanState::kMay);
      for (const Span& span : must) add(span, SpanState::kMust);
    }
  }

  // Adds a fault, clipped to the time of the holds and calls. Requires that the holds and calls
  // were added before. Draws nothing if there are no holds and calls.
  void AddFault(const FaultEpisode& episode) {
    if (drawing_.lanes.empty()) return;
    DrawnLane& lane = LaneFor(LaneName(record_, episode), episode.client);
    if (!lane.marks.empty()) return;
    const Span when{std::clamp(episode.from_ns, from_ns_, to_ns_),
                    std::clamp(episode.to_ns, from_ns_, to_ns_)};
    lane.fault = episode.fault;
    lane.spans = {{when.from_ns, when.to_ns, SpanState::kActing}};
    lane.marks = {{when.from_ns, '[', '-', FaultClause(record_.disturbances, episode)},
                  {when.to_ns, ']', ' '}};
  }

  ViolationDrawing Finish() && {
    for (DrawnLane& lane : drawing_.lanes) {
      std::ranges::stable_sort(lane.marks, {}, &DrawnMark::at_ns);
      if (lane.marks.size() > kMostMarks) lane.marks.resize(kMostMarks);
    }
    drawing_.times_ns.assign(times_.begin(), times_.end());
    return std::move(drawing_);
  }

 private:
  struct CallLetters {
    char invoked;
    char ok;
    char after;  // fills the lane from the answer on
  };

  // Returns the spans, within the time of the drawing, in which the session may have the lock. If
  // the service granted the key twice, it may also have the lock in all `spans` in which it must.
  [[nodiscard]] std::vector<Span> MaySpans(const SessionId& session, uint16_t key,
                                           std::vector<Span> spans) const {
    for (const Possession& each : record_.evidence.possessions().at(key).all()) {
      const Span may{std::max(each.may.from_ns, from_ns_), std::min(each.may.to_ns, to_ns_)};
      if (each.acquire->session == session && may.from_ns < may.to_ns) spans.push_back(may);
    }
    return MergeSpans(std::move(spans));
  }

  DrawnLane& LaneFor(const std::string& name, int32_t client) {
    const auto found = std::ranges::find(drawing_.lanes, name, &DrawnLane::name);
    if (found != drawing_.lanes.end()) return *found;
    return drawing_.lanes.emplace_back(DrawnLane{.name = name, .client = client});
  }
  DrawnLane& LaneFor(const SessionId& session) {
    return LaneFor(OwnerName(record_.disturbances, session), session.client);
  }

  static char LetterFor(EventType outcome, char ok) {
    if (outcome == EventType::kOk) return ok;
    return outcome == EventType::kFail ? 'x' : '?';
  }

  void AddSpans(DrawnLane& lane, const Hold& hold) {
    if (const Call* grant = record_.GrantOf(hold.hold))
      lane.spans.push_back({grant->from_ns, hold.core.from_ns, SpanState::kWaiting});
    lane.spans.push_back({hold.core.from_ns, hold.core.to_ns, SpanState::kHeld});
    for (const Span& live : hold.live)
      lane.spans.push_back({live.from_ns, live.to_ns, SpanState::kLive});
  }

  void AddUse(DrawnLane& lane, const Call& use) {
    if (use.op == Op::kRead && !use.Ok()) return;
    if (use.op == Op::kRead) {
      lane.marks.push_back({use.to_ns, 'g', '='});
    } else {
      const char invoked = use.op == Op::kWrite ? 'W' : use.op == Op::kSave ? 'S' : 'L';
      AddCall(lane, use, {invoked, static_cast<char>(std::tolower(invoked)), '='});
    }
    lane.marks.back().text = UseLabel(use);
    if (lane.spans.size() < kMostMarks && use.to_ns < kForeverNs)
      lane.spans.push_back({use.from_ns, use.to_ns, SpanState::kCalling});
  }

  // Adds the marks of a call: its invocation, and its answer if there is one.
  void AddCall(DrawnLane& lane, const Call& call, CallLetters letters) {
    lane.marks.push_back({call.from_ns, letters.invoked, '-'});
    Widen(call.from_ns);
    if (call.to_ns >= kForeverNs) return;
    lane.marks.push_back({call.to_ns, LetterFor(call.outcome, letters.ok), letters.after});
    Widen(call.to_ns);
  }

  void Widen(int64_t at_ns) {
    from_ns_ = std::min(from_ns_, at_ns);
    to_ns_ = std::max(to_ns_, at_ns);
  }

  const ViolationContext& record_;
  ViolationDrawing drawing_;
  std::set<uint64_t> holds_;
  std::set<std::pair<SessionId, uint16_t>> sessions_;  // drawn, with the key that they held
  std::set<int64_t> times_;
  int64_t from_ns_ = std::numeric_limits<int64_t>::max();
  int64_t to_ns_ = std::numeric_limits<int64_t>::min();
};

}  // namespace

std::string LaneName(const ViolationContext& record, const FaultEpisode& episode) {
  const std::string target = episode.client > 0  ? fmt::format(" c{}", episode.client)
                             : episode.node >= 0 ? fmt::format(" n{}", episode.node)
                                                 : "";
  return record.FaultOf(episode).kind + target;
}

ViolationDrawing DrawViolation(const ViolationContext& record, const Violation& violation,
                               const Explanation& why) {
  LaneBuilder lanes(record);
  for (const auto& ref : {violation.first, violation.second}) {
    const Hold* hold = ref ? record.holds.Find(ref->hold) : nullptr;
    if (hold != nullptr) lanes.AddHold(*hold);
  }
  for (const Call* call : why.calls) lanes.AddForeignRelease(*call);
  lanes.AddPossessions();
  for (const FaultEpisode* episode : why.episodes) lanes.AddFault(*episode);
  return std::move(lanes).Finish();
}

}  // namespace doublehold
