// Whom the machine itself excuses: what came late because it stalled a process, and not because of
// a fault. What a fault takes of a stall is the fault's:
//
//   the client is stopped, or kept at its work     the time that it lasts
//   messages, or all of a server, stand still      the time that it lasts, of what the client waited for an answer from there
//   messages are delayed                           the delay, once a stall that began while the client waited so
//   messages are lost                              each such wait whole, from the loss on: it goes on when the fault is over
//   a clock is moved, a request is sent twice      nothing: nobody waits for that
//
//   c1:          A-a==W-------------w===R-r        of these 10 the fault takes 4
//   stall c1:           [--]
//   machine c1:      (---------)
//
// A fault on servers is on all that use them: the store, or so many of those that keep locks that
// no majority is left.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_

#include <cstdint>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// How long a fault delays a message at most; 0 of one of another kind. Measured is also what the
// machine did to a message.
int64_t DelayNs(const Scene& scene, const FaultEpisode& episode);

// Whether only the machine is to blame that `hold` was still held at `at_ns`, its lease being over
// since `lease_end_ns`:
//
//   without the time for which it was stalled it would have been done before:
//     c1:  A-a==(.....!...)==R-r      stalled for 9 of which 4 were late
//     c1:  A-(....!..)a==R-r          or before the grant came back: the lease ran already
//   or, where the lease is extended again and again, whoever does that was stalled for most of its last length, or of the
//   last time that it tried to and was not answered:
//     c1:  A-a==E-e==(....!...)=======R-r
//   but not after it was refused, since nobody would have tried again:
//     c1:  A-a==E-x==(....!...)=======R-r
//
// A section that takes longer than its lease anyway is not excused by a stall on the way.
bool MachineIsToBlame(const Scene& scene, const Hold& hold, int64_t lease_end_ns, int64_t at_ns);

// Whether only the machine is to blame that the release of `hold`, invoked in time and never
// answered, may take effect after its lease: it may stand wherever the machine does on its way,
// though its client has given up by then. Wants Hold::done_ns.
//
//     c1:          A-a==R---?   !         without the stall it would have been there at the R
//     machine n1:      (----------------)
bool MachineMayDelayRelease(const Scene& scene, const Hold& hold, int64_t lease_end_ns);

// Whether a session was stalled for most of a stretch, and by no fault.
bool StalledForMostOf(const Scene& scene, const SessionId& session, const Span& when);

// For how long within `when` a client did nothing, or may have waited for nobody but the machine: a
// fault stopped it, or kept a session of its at its work, or the machine stalled it or what is on
// the way of what it asks of a lock.
int64_t StoodStillNs(const Scene& scene, int32_t client, Side side, const Span& when);

// The longest unplanned stall that touched a stretch and held up `session`; null: none.
const Stall* LongestStall(const Scene& scene, const SessionId& session, const Span& when);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
