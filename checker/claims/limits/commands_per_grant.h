// The claim `commands-per-grant`: until a client is granted a key, it sends no more than a limited
// number of commands to lock servers.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_GRANT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_GRANT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Counts the commands (`traffic`) that a client sends from one grant of any of its sessions to the
// next, while one of its sessions waits for a key or asks for it. Commands that keep a connection
// alive, such as PING, do not count.
//
//   c1:           Q-A-x--A-x--A-aq==R-r
//   sent c1:        *    *    *     *        3
//
// Commands after the client's last grant are judged too, if they exceed the limit. A fault does not
// excuse an excess. All commands count for the next grant of the client, whichever of its
// sessions is granted a key. If several of its sessions asked meanwhile, they share the commands:
// the history does not say which of them sent one, so an equal share counts for each. An acquire of
// several keys is one grant.
//
// Three kinds of commands are excused, because they possibly belong to something else:
// - commands sent while a session of the client holds a lock, until its release is answered, or
//   releases one;
// - commands sent while an acquire of unknown outcome may have been granted, and no release of it
//   is answered;
// - commands sent after the machine stalled while the client asked: a longer wait sends more.
//
// Violated if the other commands of a grant exceed the limit for each session that asked. Unknown
// if no limit is set, if a grant exceeds the limit of one session otherwise, or if most grants had
// no recorded command.
ClaimVerdict CheckCommandsPerGrant(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_COMMANDS_PER_GRANT_H_
