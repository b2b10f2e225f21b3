// Finds operations of unknown outcome, and what they may hide.
//
// Pure. May say too often that an operation can hide a violation, never too seldom.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// An operation without an answer that may hide a violation.
struct BlindSpot {
  Op op = Op::kAcquire;
  SessionId by;
  uint16_t key = 0;
  int64_t at_ns = 0;  // when it was invoked
  std::string sentence;
};

struct BlindCount {
  int64_t unknown = 0;
  int64_t could_hide = 0;  // how many of them could hide a violation
};

struct BlindSpots {
  static constexpr size_t kTold = 5;

  BlindCount acquires, extends, releases, writes;  // writes: of stock, of orders, of results
  std::vector<BlindSpot> first;              // the first few operations that could hide a violation
  std::map<int32_t, int64_t> without_lease;  // holds with an endless lease, by client
  std::vector<Stall> stalls;                 // the longest few, in descending order

  [[nodiscard]] int64_t Unknown() const;
  [[nodiscard]] int64_t CouldHide() const;
};

// An unanswered operation may take effect at any time after its invocation, long after its client's
// timeout, and more than once. So it may conflict with another session's operation on the key,
// unless that was over before the invocation. Such operations are holds, writes, and other
// unanswered operations.
//
//   c1:      A-a=====R-r
//   c2:  A---?                   may be a second grant beside c1's
//   c3:                  A-?     nothing: nobody uses the key afterwards
//
// An acquire, an extension and a release matter from their invocation on. A write conflicts with
// writes since its read, so it matters from the beginning of its hold. A saved result matters from
// the beginning of the run. A write that is retried may have been carried out twice:
//
//   c1:  A-a=W-w=R-r                       c1:  A-a=W-?=W-w=R-r
//   c2: A-a=====!==========W-?             its own second write may have taken a second unit
//
// If tokens, queues or re-entries are judged, an acquire and a release matter beside all
// operations, those of the same session included.
BlindSpots FindBlindSpots(const Evidence& evidence);

// Whether a run of lock `none` violates nothing that its load must violate without a lock: `stock`
// if it is written unprotected, else `exclusion`. Such a load can judge no lock.
bool IsWeakControl(const RunFacts& facts, const std::vector<ClaimVerdict>& claims);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_
