// What the referee found out about each key after the clients had ended.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_KEY_STATES_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_KEY_STATES_H_

#include <cstdint>
#include <map>
#include <optional>

#include "checker/evidence/evidence.h"
#include "lib/history/history.h"

namespace doublehold {

struct KeyProbe {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t budget_ns = 0;
  int64_t waited_ns = 0;
  EventType outcome = EventType::kInfo;  // kInfo: no answer yet
};

// A key that was seen without an expiry, or with one that no lease explains.
struct Outlasting {
  int64_t at_ns = 0;
  int64_t left_ns = 0;   // time to its expiry, or kForeverNs if it has none
  int64_t lease_ns = 0;  // the longest lease that was asked for
};

struct KeyState {
  std::optional<KeyProbe> probe;
  std::optional<Outlasting> outlasting;

  [[nodiscard]] bool IsAnswered() const { return probe && probe->outcome != EventType::kInfo; }
  [[nodiscard]] bool IsGranted() const { return probe && probe->outcome == EventType::kOk; }
  [[nodiscard]] bool IsStuck() const {
    return outlasting || (probe && probe->outcome == EventType::kFail);
  }
};

// Returns the state of each key that the referee probed, or that outlasts every lease. A failed
// probe decides, whatever a later probe returns. On one node, a later grant to the referee shows
// that an outlasting key blocks nobody: the server keeps it even while nobody holds the lock.
std::map<uint16_t, KeyState> ReadKeyStates(const History& history);

// Returns the number of granted keys that no probe asked for, and that were not seen to outlast
// every lease.
int64_t CountUnprobedKeys(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_KEY_STATES_H_
