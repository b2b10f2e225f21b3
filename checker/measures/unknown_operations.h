// Finds operations of unknown outcome that may hide violations.
//
// All functions are pure. FindBlindSpots may overcount the operations that can hide a violation,
// but never undercounts them.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// An operation of unknown outcome that may hide a violation.
struct BlindSpot {
  Op op = Op::kAcquire;
  SessionId by;
  uint16_t key = 0;
  int64_t at_ns = 0;  // when it was invoked
  std::string sentence;
};

struct BlindCount {
  int64_t unknown = 0;
  int64_t could_hide = 0;  // unknown operations that could hide a violation
};

struct BlindSpots {
  static constexpr size_t kMostDescribed = 5;

  BlindCount acquires, extends, releases, writes;  // `writes`: writes, orders, saves
  std::vector<BlindSpot> first;              // the first few operations that could hide a violation
  std::map<int32_t, int64_t> without_lease;  // holds with an endless lease, by client
  std::vector<Stall> stalls;                 // the longest stalls, longest first

  [[nodiscard]] int64_t Unknown() const;
  [[nodiscard]] int64_t CouldHide() const;
};

// An unanswered operation may take effect at any time after its invocation, long after its client's
// timeout, and more than once. So it may conflict with another session's hold, write or unanswered
// operation on the key, unless the other one ended before the invocation.
//
//   c1:      A-a=====R-r
//   c2:  A---?                   may be a second grant beside c1's
//   c3:                  A-?     hides nothing: nobody uses the key afterwards
//
// A write of stock, or an order, depends on a read in the same hold. So it may conflict with
// operations that ended after the start of that hold. A save may conflict with all operations of
// the run. A write, order or save may also conflict with a retry by the same session, because both
// may be carried out:
//
//   c1:  A-a=W-w=R-r                       c1:  A-a=W-?=W-w=R-r
//   c2: A-a=====!==========W-?             `W-?` may have taken a second unit
//
// If tokens, queues or re-entries are judged, an acquire, extension or release may conflict with
// all operations of the run. If re-entries are judged, this includes operations of the same
// session.
BlindSpots FindBlindSpots(const Evidence& evidence);

// Whether the lock is `none`, and yet the run did not violate the claim that must be violated
// without a lock. This claim is `stock` if the stock is written unprotected, and otherwise
// `exclusion`. Such a load cannot judge a lock.
bool IsWeakControl(const RunFacts& facts, const std::vector<ClaimVerdict>& claims);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_
