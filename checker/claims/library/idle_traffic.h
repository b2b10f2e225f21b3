// The claim `idle-traffic`: a client that has released all its locks sends no more commands, so no
// renewal continues.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A client that has finished its work stays idle for a lease, with its lock or library (`idle`).
// The commands that it sends to lock servers meanwhile are recorded (`traffic`), except those that
// keep a connection alive, such as PING.
//
//   c1:       A-a==R-rI---------------------i
//   sent c1:          *                     nothing: it may be in transit for a fifth of a lease
//   sent c1:                 *      *       violated: something still extends a released lock
//
// A client is idle when all of its sessions are. Traffic with another possible explanation does not
// count:
//
//   c1:  A-?     I---i        an unknown outcome: it may hold the lock, or its library may retry
//   c1:  A-a===  I---i        it has not released everything
//   c1:  A-a=R-r I---i        a fault from a lease before its last acquire on: a library may retry
//   fault:    [-]             late; likewise a stall, which may delay messages
//
// A client that sent nothing is judged only if it would have been seen for at least half a lease.
// The time in which a fault stopped it, or delayed its messages to all lock servers, does not
// count:
//
//   c1:       A-a==R-rI---------i
//   pause c1:          [------]
//
// A killed server receives nothing until a replica takes over.
//
// Counts once for each client. Unknown where most clients with a grant might have sent unseen, or
// were idle for less than half a lease.
ClaimVerdict CheckIdleTraffic(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_
