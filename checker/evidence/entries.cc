#include "checker/evidence/entries.h"

#include <map>
#include <set>
#include <vector>

namespace doublehold {
namespace {

// The keys for which one session waits.
struct SessionWait {
  std::set<uint16_t> keys;
  std::vector<size_t> granted;  // holds granted during the wait; indices into Holds::all

  [[nodiscard]] bool HasOtherKeysThan(uint16_t key) const {
    return keys.size() > (keys.contains(key) ? 1U : 0U);
  }
};

// A client that uses what the lock protects has entered its section, whatever its waits say.
bool IsUse(Op op) {
  return op == Op::kRead || op == Op::kWrite || op == Op::kOrder || op == Op::kSave ||
         op == Op::kLook;
}

void Enter(int64_t at_ns, Hold& hold) {
  if (hold.entered_ns == kForeverNs) hold.entered_ns = at_ns;
}

}  // namespace

void MarkEntries(const History& history, Holds& holds) {
  std::map<SessionId, SessionWait> sessions;
  for (const Event& event : history.events) {
    if (event.task != TaskKind::kSession || !HasKey(event.op)) continue;
    const auto used = IsUse(event.op) ? holds.by_id.find(event.hold) : holds.by_id.end();
    if (used != holds.by_id.end() && holds.all[used->second].owner() == SessionOf(event))
      Enter(event.at_ns, holds.all[used->second]);
    if (event.op == Op::kWait && event.type == EventType::kInvoke) {
      sessions[SessionOf(event)].keys.insert(event.key);
    } else if (event.op == Op::kWait) {
      SessionWait& waiting = sessions[SessionOf(event)];
      waiting.keys.erase(event.key);
      if (event.type != EventType::kOk) waiting.granted.clear();
      if (!waiting.keys.empty()) continue;
      for (const size_t i : waiting.granted) Enter(event.at_ns, holds.all[i]);
      waiting.granted.clear();
    } else if (event.op == Op::kAcquire && event.type == EventType::kOk) {
      const auto hold = holds.by_id.find(event.hold);
      SessionWait& waiting = sessions[SessionOf(event)];
      if (hold == holds.by_id.end() || !waiting.HasOtherKeysThan(event.key)) continue;
      holds.all[hold->second].entered_ns = kForeverNs;
      waiting.granted.push_back(hold->second);
    }
  }
}

}  // namespace doublehold
