// The claim `idle-traffic`: a client that has released all its locks sends no more commands: no
// renewal goes on.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A client that is through with its work stays for a lease, idle, and its lock or library with it
// (`idle`). What it sends to the servers of locks meanwhile is recorded (`traffic`), but for what
// keeps a connection, as PING does.
//
//   c1:       A-a==R-rI---------------------i
//   sent c1:          *                         nothing: for a fifth of a lease it may have been on its way
//   sent c1:                 *      *           violated: something goes on extending what was released
//
// It is idle when all of its sessions are. Nothing that may explain it otherwise is counted:
//
//   c1:  A-?     I---i        it may have been granted what it does not know of; and what was not answered, its library may ask again
//   c1:  A-a===  I---i        it has not released all
//   c1:  A-a=R-r I---i        from a lease before it asked for its last grant on: what a library sent in vain, it may send again
//   fault:    [-]             late; and what was sent, a stall of the machine may keep on its way
//
// Nor is a client counted that sent nothing, when what stopped it, or kept its messages to all
// servers of locks, left less than half a lease in which it would have been seen:
//
//   c1:       A-a==R-rI---------i
//   pause c1:          [------]
//
// A server that was killed for good hears nothing until a replica takes over.
//
// Once for each client. Unknown where most that had been granted anything are such clients, or were
// not idle for as long as half a lease.
ClaimVerdict CheckIdleTraffic(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IDLE_TRAFFIC_H_
