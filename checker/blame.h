// Whom the machine itself excuses: what came late because it stalled a process, and not because of a fault. What a fault on
// the client takes of a stall is the fault's:
//
//   one that stops or paces it       the time that it lasts, since the client would have stood still then anyway
//   one that delays its messages     its delay, once a stall: the message that was on its way as the stall began
//   one that loses something         all of it, since what is lost is waited for long after
//   a moved clock, a duplicate       nothing: they keep nobody waiting
#ifndef DOUBLEHOLD_CHECKER_BLAME_H_
#define DOUBLEHOLD_CHECKER_BLAME_H_

#include <cstdint>

#include "checker/holds.h"
#include "checker/scene.h"

namespace doublehold {

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

// Whether only the machine is to blame that the release of `hold`, invoked in time and never answered, may take effect after
// its lease: it may stand wherever the machine does on its way, though its client has given up by then. Wants Hold::done_ns.
//
//     c1:          A-a==R---?   !         without the stall it would have been there at the R
//     machine n1:      (----------------)
bool MachineMayDelayRelease(const Scene& scene, const Hold& hold, int64_t lease_end_ns);

// Whether a session was stalled for most of a stretch, and by no fault.
bool StalledForMostOf(const Scene& scene, const SessionId& session, const Span& when);

// The longest unplanned stall that touched a stretch and held up `session`; null: none.
const Stall* LongestStall(const Scene& scene, const SessionId& session, const Span& when);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_BLAME_H_
