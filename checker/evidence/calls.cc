#include "checker/evidence/calls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace doublehold {
namespace {

constexpr size_t kOps = static_cast<size_t>(kLastOp) + 1;

bool IsCall(Op op) {
  return op == Op::kAcquire || op == Op::kRelease || op == Op::kRead || op == Op::kWrite ||
         op == Op::kWait || op == Op::kSave || op == Op::kLook;
}

constexpr size_t kNoCall = std::numeric_limits<size_t>::max();

// The state of one session on one key.
struct SessionKeyState {
  // For each operation, the index into Calls::all of the pending call, or kNoCall.
  std::array<size_t, kOps> open;
  std::vector<uint64_t> entered{};  // holds that were granted and not yet released
  SessionKeyState() { open.fill(kNoCall); }
};

class CallExtraction {
 public:
  void AddEvent(const Event& event) {
    if (event.op == Op::kLost) calls_.complete = false;
    errors_.Add(event);
    if (event.client <= kReferee || event.task != TaskKind::kSession || !HasKey(event.op)) return;
    int64_t& last_ns = last_ns_[{event.client, event.thread}];
    if (IsCall(event.op)) {
      SessionKeyState& state = StateFor(event);
      if (event.type == EventType::kInvoke) {
        RecordInvocation(event, state);
      } else {
        RecordAnswer(event, state, last_ns);
      }
    }
    last_ns = event.at_ns;
  }

  Calls Finish() && {
    // Calls with a recorded invocation are in order. Calls with a lost invocation may not be.
    if (!std::ranges::is_sorted(calls_.all, {}, &Call::from_ns))
      std::ranges::stable_sort(calls_.all, {}, &Call::from_ns);
    for (size_t i = 0; i < calls_.all.size(); ++i) {
      const Call& call = calls_.all[i];
      if (call.op == Op::kRelease && call.outcome != EventType::kInfo && call.hold != 0)
        calls_.released.emplace(call.hold, i);
    }
    return std::move(calls_);
  }

 private:
  SessionKeyState& StateFor(const Event& event) {
    const uint64_t session_and_key = static_cast<uint64_t>(event.client) << 24U |
                                     static_cast<uint64_t>(event.thread) << 16U | event.key;
    return states_[session_and_key];
  }

  Call& AddCall(const Event& event, const SessionKeyState& state, int64_t from_ns) {
    calls_.all.push_back({.op = event.op,
                          .session = SessionOf(event),
                          .key = event.key,
                          .hold = event.hold,
                          .from_ns = from_ns,
                          .to_ns = kForeverNs,
                          .again = event.op == Op::kAcquire && !state.entered.empty(),
                          .waits = state.open[IndexOf(Op::kWait)] != kNoCall});
    return calls_.all.back();
  }

  void RecordInvocation(const Event& event, SessionKeyState& state) {
    state.open[IndexOf(event.op)] = calls_.all.size();
    AddCall(event, state, event.at_ns).asked = event.value;
    if (event.op == Op::kRelease) std::erase(state.entered, event.hold);
  }

  void RecordAnswer(const Event& event, SessionKeyState& state, int64_t last_ns) {
    size_t& open = state.open[IndexOf(event.op)];
    Call& call = open == kNoCall ? AddCall(event, state, last_ns) : calls_.all[open];
    open = kNoCall;
    if (event.hold != 0) call.hold = event.hold;
    call.to_ns = event.at_ns;
    call.outcome = event.type;
    if (event.type == EventType::kInfo) call.why = errors_.WhyUnknown(event, call.from_ns);
    call.answer = event.value;
    if (event.op == Op::kAcquire && call.Ok()) {
      std::erase(state.entered, event.hold);  // avoids a duplicate in a broken history
      state.entered.push_back(event.hold);
    }
    if (event.op == Op::kRelease) std::erase(state.entered, event.hold);
  }

  static size_t IndexOf(Op op) { return static_cast<size_t>(op); }

  Calls calls_;
  ErrorAnswers errors_;
  std::unordered_map<uint64_t, SessionKeyState> states_;
  std::map<SessionId, int64_t> last_ns_;  // time of each session's latest event
};

}  // namespace

const Call* Calls::ReleaseOf(uint64_t hold) const {
  const auto found = released.find(hold);
  return found == released.end() ? nullptr : &all[found->second];
}

std::vector<const Call*> Calls::Of(Op op, uint16_t key) const {
  std::vector<const Call*> found;
  for (const Call& call : all) {
    if (call.op == op && call.key == key) found.push_back(&call);
  }
  return found;
}

std::vector<const Call*> Calls::UnansweredSince(uint16_t key, int64_t since_ns) const {
  std::vector<const Call*> found;
  for (const Call& call : all) {
    const bool changes_owner = call.op == Op::kAcquire || call.op == Op::kRelease;
    if (!changes_owner || call.key != key) continue;
    if (call.outcome == EventType::kInfo && call.to_ns >= since_ns) found.push_back(&call);
  }
  return found;
}

Calls ExtractCalls(const History& history) {
  CallExtraction extraction;
  for (const Event& event : history.events) extraction.AddEvent(event);
  return std::move(extraction).Finish();
}

}  // namespace doublehold
