// The claim `commands-per-hold`: while a client holds a lock, it sends no more than a limited
// number of commands to lock servers.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_HOLD_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_HOLD_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Counts the client's commands (`traffic`) from its grant to the answer of its release. Commands
// that keep a connection alive, such as PING, do not count. Commands of the acquire do not count
// either: their number depends on the other holders of the key.
//
//   c1:           A-a=========R-r
//   sent c1:      *   *   *   *         3
//
// A hold within the limit is skipped if its end is unknown, or if recording stopped before its end.
// It is also skipped if none of its commands was recorded. A fault does not excuse an excess.
//
// Counts each hold at most once. Unknown in these cases:
// - no limit is set, or more holds were skipped than judged;
// - a hold over the limit, during which the client used another key, in this or another session:
//   the commands may belong to the other key;
// - a hold over the limit, during which the machine stalled: a lock that is held longer is renewed
//   more often.
ClaimVerdict CheckCommandsPerHold(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_HOLD_H_
