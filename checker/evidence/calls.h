// Calls: what a session asked for and what it was answered, read off a history.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_CALLS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_CALLS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "checker/evidence/holds.h"
#include "lib/history/history.h"

namespace doublehold {

// One attempt of a client's session. What it asked for was carried out, if at all, at some instant
// from `from_ns` to `done_ns`.
//
//   c1:  A----a    from A to a           c2:  A----?        from A on, for ever: what was sent
//   c1:  A----x    never                                    may be delivered when nobody waits for it
struct Call {
  Op op = Op::kAcquire;
  SessionId session;
  uint16_t key = 0;
  uint64_t hold = 0;
  int64_t from_ns = 0;  // invoked; the session's last event before, when that record was lost
  int64_t to_ns = 0;    // answered; kForeverNs: never
  EventType outcome = EventType::kInfo;
  std::array<int64_t, 4> asked{};   // values of the invocation
  std::array<int64_t, 4> answer{};  // of the answer
  // An acquire of a session that had been granted the key and not released it since: it may be let
  // in whoever else has the lock, even without asking a server.
  bool again = false;
  bool waits = false;  // an acquire that is one of those of a wait

  [[nodiscard]] bool Ok() const { return outcome == EventType::kOk; }
  [[nodiscard]] int64_t DoneNs() const { return outcome == EventType::kInfo ? kForeverNs : to_ns; }
};

// Whether one thing certainly happened before another. Equal times prove nothing.
inline bool Before(int64_t a_ns, int64_t b_ns) { return a_ns < b_ns; }

struct Calls {
  std::vector<Call> all;  // in the order in which they were invoked
  bool complete = true;   // no record of any process was lost

  // Those of an operation on a key, in that order.
  [[nodiscard]] std::vector<const Call*> Of(Op op, uint16_t key) const;
  // The acquires and releases of a key that were waited for in vain then, or later.
  [[nodiscard]] std::vector<const Call*> UnansweredSince(uint16_t key, int64_t since_ns) const;
};

// Of the clients' sessions. One pass over the events.
Calls ExtractCalls(const History& history);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_CALLS_H_
