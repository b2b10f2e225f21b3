// Decides whether a stall of the machine, rather than an injected fault, explains lateness. A fault
// takes precedence over a stall for this time:
//
//   client stopped, or kept at its work       the time that the fault lasts
//   messages held up, or a server stopped     the same, while the client waits for an answer
//   messages delayed                          the delay, once for a stall that began during a wait
//   messages lost                             each wait for one, from the loss to the wait's end
//   clock moved, request sent twice           nothing: nobody waits for that
//
//   c1:          A-a==W-------------w===R-r        of these 10 the fault takes 4
//   stall c1:           [--]
//   machine c1:      (---------)
//
// A server fault affects every client that uses those servers: the store, or so many lock servers
// that no majority is left.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_

#include <cstdint>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// The longest delay of a message by this fault; 0 for other kinds of faults. The measured delay
// includes what the machine added.
int64_t DelayNs(const Scene& scene, const FaultEpisode& episode);

// Whether the machine alone explains that `hold` was still held at `at_ns`, although its lease had
// ended at `lease_end_ns`:
//
//   without the time for which it was stalled, the hold would have ended in time:
//     c1:  A-a==(.....!...)==R-r      stalled for 9 of which 4 were late
//     c1:  A-(....!..)a==R-r          or before the grant came back: the lease ran already
//   or, if the lease is extended again and again, its watchdog was stalled for most of the last
//   lease, or of its last unanswered extension:
//     c1:  A-a==E-e==(....!...)=======R-r
//   but not after a refused extension, since the watchdog would not have retried:
//     c1:  A-a==E-x==(....!...)=======R-r
//
// A section that takes longer than its lease anyway is not excused by a stall.
bool StallExplainsExpiry(const Scene& scene, const Hold& hold, int64_t lease_end_ns, int64_t at_ns);

// Whether the machine alone explains that the release of `hold`, invoked in time and never
// answered, may take effect after its lease. A stall anywhere on the request path may delay it,
// even after the client's timeout. Requires Hold::done_ns.
//
//     c1:          A-a==R---?   !         without the stall the request would have arrived at R
//     machine n1:      (----------------)
bool MachineMayDelayRelease(const Scene& scene, const Hold& hold, int64_t lease_end_ns);

// Whether stalls of the machine, and no fault, kept a session from running for most of a span.
bool StalledForMostOf(const Scene& scene, const SessionId& session, const Span& when);

// How long within `when` a client was blocked. A fault may stop it, or keep its session at its
// work. The machine may stall its process, or a process on the path of its lock requests.
int64_t BlockedTimeNs(const Scene& scene, int32_t client, Side side, const Span& when);

// The longest unplanned stall that overlaps a span and delayed `session`; null: none.
const Stall* LongestStall(const Scene& scene, const SessionId& session, const Span& when);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
