// The claim `lost-lock-notification`: a library that supports it notifies the holder of a lost
// lock.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Applies to a library whose driver declares `lost`. A certainly lost lock (lost_locks.h) was lost
// when another client's acquire returned ok, or earlier. The holder must be notified within lease
// and grace after that answer. By then the library's renewal was refused, or was unanswered for so
// long that the library must consider the lock lost. In the drawings, `o` is the notification.
//
//   c1:  A-a==!=======================R-r        violated
//   c2:           A-a==R-r
//
//   c1:  A-a==!=============o=========R-r        valid
//   c2:           A-a==R-r
//
// Only time in which the library could run counts. A library stops and stalls with its client, and
// receives nothing during a stall of a lock server or of the supervisor. A slow session does not
// block its library. Faults on messages are no excuse; the verdict names them. A session that
// re-entered is not judged: libraries may differ on which of its grants is lost.
//
// Unknown for a built-in lock, for a library without `lost`, and if no client held a lost lock for
// longer than lease and grace.
ClaimVerdict CheckLostLockNotification(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_
