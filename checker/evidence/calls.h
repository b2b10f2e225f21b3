// Calls: each invocation of a session with its answer, extracted from a history.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_CALLS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_CALLS_H_

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "checker/evidence/holds.h"
#include "checker/evidence/unknown_outcomes.h"
#include "lib/history/history.h"

namespace doublehold {

// One call of a client's session: an invocation and its answer. A call that took effect did so at
// some instant from `from_ns` to `DoneNs()`.
//
//   c1:  A----a    from A to a           c2:  A----?        from A on, without end: the request
//   c1:  A----x    never                                    may arrive after the client's timeout
struct Call {
  Op op = Op::kAcquire;
  SessionId session;
  uint16_t key = 0;
  uint64_t hold = 0;
  // Time of the invocation, or of the session's previous event if the record of the invocation was
  // lost.
  int64_t from_ns = 0;
  int64_t to_ns = 0;  // time of the answer or timeout, or kForeverNs if neither was recorded
  EventType outcome = EventType::kInfo;
  UnknownWhy why = UnknownWhy::kNoAnswer;  // of outcome kInfo
  std::array<int64_t, 4> asked{};          // values of the invocation
  std::array<int64_t, 4> answer{};         // values of the answer
  // True for a re-entry: an acquire of a key that the session was granted and has not released. The
  // lock may grant a re-entry without a request to a server, even while another client holds the
  // key.
  bool again = false;
  bool waits = false;  // the call is an attempt within a blocking wait

  [[nodiscard]] bool Ok() const { return outcome == EventType::kOk; }
  // Whether this acquire asks for several keys in one attempt. The history has the attempt once for
  // each key. A refusal does not say which key was taken.
  [[nodiscard]] bool AsksForSeveralKeys() const { return op == Op::kAcquire && asked[1] > 1; }
  [[nodiscard]] int64_t DoneNs() const { return outcome == EventType::kInfo ? kForeverNs : to_ns; }
};

// Whether `a_ns` certainly precedes `b_ns`. Equal times prove no order.
inline bool Before(int64_t a_ns, int64_t b_ns) { return a_ns < b_ns; }

struct Calls {
  std::vector<Call> all;                          // in the order in which they were invoked
  std::unordered_map<uint64_t, size_t> released;  // by hold: index of its first answered release
  bool complete = true;                           // no record of any process was lost

  // Returns the first answered release of a hold; null if there is none, or no such hold.
  [[nodiscard]] const Call* ReleaseOf(uint64_t hold) const;
  // The calls of an operation on a key, in the order of their invocation.
  [[nodiscard]] std::vector<const Call*> Of(Op op, uint16_t key) const;
  // The acquires and releases of a key that timed out at `since_ns` or later, or never returned.
  [[nodiscard]] std::vector<const Call*> UnansweredSince(uint16_t key, int64_t since_ns) const;
};

// Extracts the calls of all clients' sessions in one pass over the events.
Calls ExtractCalls(const History& history);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_CALLS_H_
