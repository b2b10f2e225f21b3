// Decides whether a stall of the machine may explain lateness. A stall of N ms explains up to N ms.
// That holds for any waiting process and during any fault, so a claim may be `unknown` where the
// fault alone would have violated it. The exception: while a fault stops the client itself, a stall
// of another process delays nothing of the client's work.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_

#include <cstdint>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// Stalls matter to a watchdog from this part of a lease on: one tenth.
constexpr int64_t kStallsPerLease = 10;

// The time within `when` that lies in a stall that may have delayed the client.
int64_t StalledNs(const Disturbances& disturbances, int32_t client, const Span& when);

// Whether the machine may explain that `hold` was still held at `at_ns`, although its lease had
// ended at `lease_end_ns`:
//
//   without the time for which it was stalled, the hold would have ended in time:
//     c1:  A-a==(.....!...)==R-r      stalled for 9 of which 4 were late
//     c1:  A-(....!..)a==R-r          or before the grant came back: the lease ran already
//   or, if the lease is extended again and again, a stall of more than a tenth of it fell into the
//   last one, or a stall took most of its last extension, which was not answered:
//     c1:  A-a==E-e==(..)==!==========R-r
//
// A section that takes longer than its lease anyway is not excused by a shorter stall.
bool StallExplainsExpiry(const Disturbances& disturbances, const Hold& hold, int64_t lease_end_ns,
                         int64_t at_ns);

// Whether the machine may explain that the release of `hold`, invoked in time and never answered,
// takes effect after its lease, even after the client's timeout. Requires Hold::done_ns.
//
//     c1:          A-a==R---?   !         without the stall the request would have arrived at R
//     machine n1:      (----------------)
bool MachineMayDelayRelease(const Disturbances& disturbances, const Hold& hold,
                            int64_t lease_end_ns);

// Whether stalls of the machine may have delayed a client for most of a span.
bool StalledForMostOf(const Disturbances& disturbances, int32_t client, const Span& when);

// The two concurrent activities of a session: its work, and the renewal of its lease.
enum class Side : uint8_t { kSession, kWatchdog };

// The time within `when` in which a fault stopped the client, a fault prolonged its section, or a
// stall may have delayed it.
int64_t BlockedTimeNs(const Disturbances& disturbances, int32_t client, Side side,
                      const Span& when);

// The longest unplanned stall that overlaps a span and may have delayed the client; null: none.
const Stall* LongestStall(const Disturbances& disturbances, int32_t client, const Span& when);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
