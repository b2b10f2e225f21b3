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

}  // namespace

void MarkEntries(const History& history, Holds& holds) {
  std::map<SessionId, SessionWait> sessions;
  for (const Event& event : history.events) {
    if (event.task != TaskKind::kSession || !HasKey(event.op)) continue;
    if (event.op == Op::kWait && event.type == EventType::kInvoke) {
      sessions[SessionOf(event)].keys.insert(event.key);
    } else if (event.op == Op::kWait) {
      SessionWait& waiting = sessions[SessionOf(event)];
      waiting.keys.erase(event.key);
      if (event.type != EventType::kOk) waiting.granted.clear();
      if (!waiting.keys.empty()) continue;
      for (const size_t i : waiting.granted) holds.all[i].entered_ns = event.at_ns;
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
