// How long clients waited for a lock.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_WAITS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_WAITS_H_

#include <string>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "lib/history/history.h"

namespace doublehold {

// A stretch in which a session waited for a key: until it was granted it, or gave up. Without an
// answer until its client died, or the last that any client did.
struct KeyWait {
  SessionId who;
  uint16_t key = 0;
  Span when;
  EventType outcome = EventType::kInvoke;  // of one without an answer
  uint64_t hold = 0;                       // that it was granted
  int64_t perhaps_until_ns = 0;            // without an answer it may have gone on until then
  [[nodiscard]] int64_t LengthNs() const { return when.to_ns - when.from_ns; }
};

// In the order in which they ended.
std::vector<KeyWait> WaitsOf(const History& history, const Scene& scene);

// "; the longest wait was 8ms of client 1", or nothing when nobody waited. Where one that was never
// granted was longer than any that was, it says so, and how long those were at most.
std::string LongestWaitClause(const History& history, const Scene& scene);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_WAITS_H_
