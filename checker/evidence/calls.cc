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

constexpr size_t kNone = std::numeric_limits<size_t>::max();

// State of one session on one key.
struct Doings {
  // Index into Calls::all of the call under way, by operation; kNone: none.
  std::array<size_t, kOps> open;
  std::vector<uint64_t> entered{};  // holds granted and not released since
  Doings() { open.fill(kNone); }
};

class CallExtraction {
 public:
  void Take(const Event& event) {
    if (event.op == Op::kLost) calls_.complete = false;
    if (event.client <= kReferee || event.task != TaskKind::kSession || !HasKey(event.op)) return;
    int64_t& last_ns = last_ns_[{event.client, event.thread}];
    if (IsCall(event.op)) {
      Doings& doings = Of(event);
      if (event.type == EventType::kInvoke) {
        Open(event, doings);
      } else {
        Answer(event, doings, last_ns);
      }
    }
    last_ns = event.at_ns;
  }

  Calls Finish() && {
    // Calls whose invocation was recorded are already in order; the others may not be.
    if (!std::ranges::is_sorted(calls_.all, {}, &Call::from_ns))
      std::ranges::stable_sort(calls_.all, {}, &Call::from_ns);
    return std::move(calls_);
  }

 private:
  Doings& Of(const Event& event) {
    const uint64_t who = static_cast<uint64_t>(event.client) << 24U |
                         static_cast<uint64_t>(event.thread) << 16U | event.key;
    return doings_[who];
  }

  Call& Push(const Event& event, const Doings& doings, int64_t from_ns) {
    calls_.all.push_back({.op = event.op,
                          .session = SessionOf(event),
                          .key = event.key,
                          .hold = event.hold,
                          .from_ns = from_ns,
                          .to_ns = kForeverNs,
                          .again = event.op == Op::kAcquire && !doings.entered.empty(),
                          .waits = doings.open[IndexOf(Op::kWait)] != kNone});
    return calls_.all.back();
  }

  void Open(const Event& event, Doings& doings) {
    doings.open[IndexOf(event.op)] = calls_.all.size();
    Push(event, doings, event.at_ns).asked = event.value;
    if (event.op == Op::kRelease) std::erase(doings.entered, event.hold);
  }

  void Answer(const Event& event, Doings& doings, int64_t last_ns) {
    size_t& open = doings.open[IndexOf(event.op)];
    Call& call = open == kNone ? Push(event, doings, last_ns) : calls_.all[open];
    open = kNone;
    if (event.hold != 0) call.hold = event.hold;
    call.to_ns = event.at_ns;
    call.outcome = event.type;
    call.answer = event.value;
    if (event.op == Op::kAcquire && call.Ok()) {
      std::erase(doings.entered, event.hold);  // granted twice: the history is broken
      doings.entered.push_back(event.hold);
    }
    if (event.op == Op::kRelease) std::erase(doings.entered, event.hold);
  }

  static size_t IndexOf(Op op) { return static_cast<size_t>(op); }

  Calls calls_;
  std::unordered_map<uint64_t, Doings> doings_;
  std::map<SessionId, int64_t> last_ns_;  // time of the last event of each session so far
};

}  // namespace

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
    const bool takes = call.op == Op::kAcquire || call.op == Op::kRelease;
    if (takes && call.key == key && call.outcome == EventType::kInfo && call.to_ns >= since_ns)
      found.push_back(&call);
  }
  return found;
}

Calls ExtractCalls(const History& history) {
  CallExtraction extraction;
  for (const Event& event : history.events) extraction.Take(event);
  return std::move(extraction).Finish();
}

}  // namespace doublehold
