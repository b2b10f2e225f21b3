// Finds how long clients waited for a lock.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_WAITS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_WAITS_H_

#include <string>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "lib/history/history.h"

namespace doublehold {

// A wait of a session for a key. A wait ends with the grant, or when the session gives up. An
// unanswered wait ends with the death of its client, or with the last event of any client.
struct KeyWait {
  SessionId who;
  uint16_t key = 0;
  Span when;
  EventType outcome = EventType::kInvoke;  // kInvoke: not answered
  uint64_t hold = 0;                       // the granted hold
  int64_t perhaps_until_ns = 0;            // latest possible end of an unanswered wait
  [[nodiscard]] int64_t LengthNs() const { return when.to_ns - when.from_ns; }
};

// Returns the waits in the order in which they ended, the unanswered waits last.
std::vector<KeyWait> WaitsOf(const History& history, const Disturbances& disturbances);

// Returns "; the longest wait was 8ms of client 1", or an empty text if nobody waited. If the
// longest wait was never granted, the clause says so, and adds the longest granted wait.
std::string LongestWaitClause(const History& history, const Disturbances& disturbances);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_WAITS_H_
