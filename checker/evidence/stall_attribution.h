// Decides whether a stall of the machine may explain lateness. A stall of N ms explains up to N ms
// of lateness of each client that it may delay (CanDelay), even while a fault acts. So a claim may
// be `unknown` although the fault alone would have violated the claim. Exception: a stall does not
// count while a fault stops the client itself, or prolongs its section.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_

#include <cstdint>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// Assumptions about stalls of at most a tenth of a lease:
// - In total (StallExplainsExpiry, case 2): they did not prevent an extension.
// - Each of them (claim key-leak): it did not delay a message until the referee read the TTL.
constexpr int64_t kStallsPerLease = 10;

// The total time within `when` for which stalls may have delayed the client.
int64_t StalledNs(const Disturbances& disturbances, int32_t client, const Span& when);

// Whether stalls may explain that `hold` was still held at `at_ns`, although its lease had ended at
// `lease_end_ns`. Stalls may explain this in these cases:
// 1. Without the time for which the client was stalled, the hold would have ended within the lease.
//     c1:  A-a==(.....!...)==R-r      stalled for 10 ms, late by 7 ms
//     c1:  A-(....!..)a==R-r          the lease runs from `A` on, so this stall counts too
// 2. An extension was invoked, and in the last lease before `lease_end_ns` stalls took more than a
//    tenth of a lease.
//     c1:  A-a==E-e==(..)==!==========R-r
// 3. The last extension is unanswered, and stalls took most of the wait for its answer.
//
// A stall that is shorter than the lateness does not excuse a section longer than its lease.
bool StallExplainsExpiry(const Disturbances& disturbances, const Hold& hold, int64_t lease_end_ns,
                         int64_t at_ns);

// Whether stalls may explain that the release of `hold` takes effect after the lease, even after
// the client's timeout. Requires Hold::done_ns, and a release that was invoked within the lease and
// never answered.
//
//     c1:          A-a==R---?   !         without the stall the server would serve the release at R
//     machine n1:      (----------------)
bool MachineMayDelayRelease(const Disturbances& disturbances, const Hold& hold,
                            int64_t lease_end_ns);

// Whether stalls may have delayed a client for more than half of a span.
bool StalledForMostOf(const Disturbances& disturbances, int32_t client, const Span& when);

// What a session does: its work and, concurrently, the renewal of its lease; or an acquire, in
// which it waits for the lock alone, so that no stall of the store delays it.
enum class Side : uint8_t { kSession, kWatchdog, kAcquire };

// The total time within `when` in which a fault stopped the client, a fault prolonged its section
// (Side::kSession only), or a stall may have delayed the client.
int64_t BlockedTimeNs(const Disturbances& disturbances, int32_t client, Side side,
                      const Span& when);

// The time in which at least one of several clients was blocked, each within its own span.
struct ClientSpan {
  int32_t client = 0;
  Span when;
};
int64_t BlockedTimeNs(const Disturbances& disturbances, const std::vector<ClientSpan>& clients,
                      Side side);

// BlockedTimeNs of one client, and the time in which a stall hit any other process.
int64_t BlockedOrStalledNs(const Disturbances& disturbances, int32_t client, Side side,
                           const Span& when);

// Returns the longest stall that overlaps a span and may have delayed the client, or null.
const Stall* LongestStall(const Disturbances& disturbances, int32_t client, const Span& when);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_STALL_ATTRIBUTION_H_
