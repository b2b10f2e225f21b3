// The claim `idle-traffic`: a client that has released all its locks sends no more commands. So it
// renews no lease any more.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// After its work, a client stays idle for a lease and keeps its lock or library (`idle`). Each
// command that the client sends to a lock server meanwhile is recorded (`traffic`), except commands
// that keep a connection alive, such as PING.
//
//   c1:       A-a==R-rI---------------------i
//   sent c1:          *                     no violation: may be in transit for a fifth of a lease
//   sent c1:                 *      *       violated: something still extends a released lock
//
// A client is idle while all of its sessions are idle. Traffic with another possible explanation
// does not count:
//
//   c1:  A-?     I---i        unknown outcome: c1 may hold the lock, or its library may retry
//   c1:  A-a===  I---i        c1 has not released everything
//   c1:  A-a=R-r I---i        a library may retry late after a fault or a stall that was
//   fault:    [-]             active a lease before the last acquire, or later
//
// A client that sent nothing is judged only if its commands would have been recorded for at least
// half a lease. Time in which a fault stopped the client, or hid its messages to all lock servers,
// is subtracted:
//
//   c1:       A-a==R-rI---------i
//   pause c1:          [------]
//
// A killed server receives nothing until a replica takes over.
//
// Counts at most one violation for each client. Unknown if most clients with a grant were idle for
// less than half a lease, or might have sent commands without a record.
ClaimVerdict CheckIdleTraffic(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_
