// The claim `lost-lock-notification`: a library that supports it notifies the holder of a lost
// lock.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Of a library behind a driver that can `lost`. A lock that was certainly lost (lost_locks.h) was
// lost at the latest when the other was answered that has it. Its holder is to be told within lease
// and grace from then on: by then the library has asked for more time and was refused, or it was
// not answered for so long that it must take the lock for lost. (o: notified)
//
//   c1:  A-a==!=======================R-r        violated
//   c2:           A-a==R-r
//
//   c1:  A-a==!=============o=========R-r        valid
//   c2:           A-a==R-r
//
// Only time in which the client ran counts: its library stops and stalls with it, and hears nothing
// while the machine stalls a server of locks or the supervisor. A session that is kept at its work
// keeps no library. Faults on messages are no excuse, and are named. Nothing is said of one that
// went in again meanwhile: which of its grants is lost then, a library may see otherwise.
//
// Unknown where no library was asked, where it cannot tell, and where nobody held on to a lost lock
// for so long.
ClaimVerdict CheckLostLockNotification(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_LOST_LOCK_NOTIFICATION_H_
