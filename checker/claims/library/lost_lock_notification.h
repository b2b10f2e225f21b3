// The claim `lost-lock-notification`: a library that supports it notifies the holder of a lost
// lock.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Applies to a library whose driver declares `lost`. A certainly lost lock (lost_locks.h) was lost
// at the latest when another client's acquire returned ok. The holder must be notified within lease
// and grace from then. By that time the library's renewal was refused, or has had no answer for so
// long that the library must consider the lock lost. (o: notified)
//
//   c1:  A-a==!=======================R-r        violated
//   c2:           A-a==R-r
//
//   c1:  A-a==!=============o=========R-r        valid
//   c2:           A-a==R-r
//
// Only time in which the client ran counts. Its library stops and stalls with it, and receives
// nothing while the machine stalls a lock server or the supervisor. A slow session does not block
// its library. Faults on messages are no excuse, and the verdict names them. A session that
// re-entered meanwhile is not judged: libraries may differ on which of its grants is lost.
// Unknown for a built-in lock, for a library without this support, and where nobody held a lost
// lock for so long.
ClaimVerdict CheckLostLockNotification(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_
