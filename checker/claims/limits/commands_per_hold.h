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
// The commands are certainly the hold's until one of these happens:
// - The client waits for, acquires or holds a lock in another call or hold, in this or another
//   session: from then on the commands may belong to that use.
// - The machine stalls: a lock that is held longer is renewed more often.
//
// Violated if the certain commands of a hold exceed the limit. Counts each hold at most once.
// Unknown if no limit is set, if more holds were skipped than judged, or if only all commands of a
// hold together exceed the limit.
ClaimVerdict CheckCommandsPerHold(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_HOLD_H_
