// The claim `commands-per-hold`: while a client holds a lock, it sends no more than a limit to
// servers of locks.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_HOLD_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_HOLD_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// All that passed on its way from the client (`traffic`) after its grant and up to the answer of
// its release, but for what keeps a connection, as PING does. What it took to be granted the key is
// not counted: that depends on who else has it.
//
//   c1:           A-a=========R-r
//   sent c1:      *   *   *   *         3
//
// Who asks for another key meanwhile, or has one, or whose other session does, sends for that as
// well: with more than the limit that hold is passed over. So is one that is not known to be over,
// of which nothing was kept, or after which no more was, if less was sent than the limit. A fault
// is no excuse; a stall of the machine meanwhile is, since a lock that is held for longer is
// renewed more often.
//
// Once for each hold. Unknown where no limit is set, or more holds were passed over than judged.
ClaimVerdict CheckCommandsPerHold(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_HOLD_H_
