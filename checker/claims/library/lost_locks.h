// Finds releases of a lock that was certainly lost before, and since when. The basis of the claims
// `release-result` and `lost-lock-notification`.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCKS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCKS_H_

#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A lock is certainly lost when another client was granted it meanwhile. That client must have
// invoked its acquire after the holder's grant, and been answered before the holder invoked its
// release.
//
//   c1:  A-a==!=============R-r       lost at the `a` of c2 at the latest
//   c2:           A-a==R-r
//
//   c1:  A-a==!===R---------r         not certain: c1's release may have come first
//   c2:           A-a=====R-r
//
//   c1:  A-a==!==========A-a=R-r R-r  not certain: c1 was let in again
//   c2:         A-a=R-r
//
//   c1:  A-a=A-a=R-r==!========R-r    lost: it was let in again before, and this is its last exit
//   c2:                   A-a=R-r
//
// A lost lock is not certain in these cases:
// - the session has an earlier acquire of unknown outcome, which may be granted since;
// - its library may have sent an acquire twice, because a fault delayed messages;
// - another's release was not answered: that client may re-enter by its own count, without the
//   lock;
// - there are several nodes, or one returned with older data: both may have held the lock.
struct LostLock {
  const Call* release = nullptr;  // the last exit of its session
  const Hold* own = nullptr;
  // The first answered among the grants that ended its hold.
  const Call* first = nullptr;
  const Call* last = nullptr;     // of the same, the one that was invoked last
  const Call* perhaps = nullptr;  // as `first`, but among all grants that may have ended it
  bool again = false;             // its hold had been released before
  bool certain = false;           // false: its session may still, or again, have held the lock
  bool entered_again = false;     // its session re-entered meanwhile
};

// Why no loss in the history is certain; nothing: losses may be.
std::optional<std::string> WhyNoLossIsCertain(const Evidence& evidence);

// Whether the library may have sent the acquire of a hold twice, so that it may be carried out
// again at any time: a fault delayed messages.
bool MayBeSentAgain(const Disturbances& disturbances, const Hold& own);

// Returns the lost locks in the order of their releases' invocation. Requires that losses can be
// certain. Refers to the evidence.
std::vector<LostLock> FindLostLocks(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCKS_H_
