// The claim `max-wait`: nobody asks for a key for longer than a limit before it is granted it.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_MAX_WAIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_MAX_WAIT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A session waits from when it asks to when it is granted the key. Who gives up and asks again is
// no better off: all that it waited since it was last granted the key is one wait, without the time
// between.
//
//   c1:       Q-A-a==R-r   Q-A-a==R-r     granted again and again
//   c2:    Q-A-x------q  Q-A-x------q     one wait, so far of both lengths
//
// A wait that is not over when the run is has lasted so long at least. A fault is no excuse, since
// the limit says what users are to see of the lock under it: but for one that stops the waiting
// client itself, or keeps it at its work. That, and every stall of the machine meanwhile, is taken
// off; a wait that is too long only with it is unknown.
//
// Who has the key, or may have it, and gives it back to wait on, has not waited all that time; and
// who hangs without an answer may have waited to the end of the record: unknown.
//
// Once for each wait. Unknown where no limit is set, and where more waits were shorter and never
// granted than were granted.
ClaimVerdict CheckMaxWait(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_MAX_WAIT_H_
