// What a history could not show, and what may hide behind it.
//
// Pure. Whether something could hide is only ever said too often, never too seldom.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// An operation without an answer behind which something may hide.
struct BlindSpot {
  Op op = Op::kAcquire;
  SessionId by;
  uint16_t key = 0;
  int64_t at_ns = 0;  // called
  std::string sentence;
};

struct BlindCount {
  int64_t unknown = 0;
  int64_t could_hide = 0;  // of those
};

struct BlindSpots {
  static constexpr size_t kTold = 5;

  BlindCount acquires, extends, releases, writes;  // writes: of stock, of orders, of results
  std::vector<BlindSpot> first;              // the first few of those that could hide something
  std::map<int32_t, int64_t> without_lease;  // holds without an end of their lease, by client
  std::vector<Stall> stalls;                 // the longest few, the longest first

  [[nodiscard]] int64_t Unknown() const;
  [[nodiscard]] int64_t CouldHide() const;
};

// What was sent and not answered may take effect at any time from its call on, long after its
// client gave up, and more than once; so whatever another session did to its key and had not done
// before that call may be harmed by it, or harm it: its hold, its write, or what it in turn was
// not answered.
//
//   c1:      A-a=====R-r
//   c2:  A---?                   a second grant beside c1's
//   c3:                  A-?     nothing: nobody does anything to the key afterwards
//
// That is from when on an acquire, an extension and a release matter. A write contradicts what was
// written since it was read: it matters from the beginning of its hold on, a saved result from the
// beginning of the run; and one that is tried again may have been carried out twice:
//
//   c1:  A-a=W-w=R-r                       c1:  A-a=W-?=W-w=R-r
//   c2: A-a=====!==========W-?             its own second write may have taken a second unit
//
// Where tokens, queues or re-entries are judged, an acquire and a release matter beside all there
// was, one's own included.
BlindSpots FindBlindSpots(const Evidence& evidence);

// Whether a run is of lock `none` and its claims show nothing of what a load that is to judge locks
// must break without any: the stock where it is written unprotected, else exclusion.
bool IsWeakControl(const RunFacts& facts, const std::vector<ClaimVerdict>& claims);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_UNKNOWN_OPERATIONS_H_
