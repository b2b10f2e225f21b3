// Marks the holds that may be affected by a lease that expired because of a stall of the machine.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_

#include <string>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A holder that a stall delayed past its lease continues after the stall. Its release may free the
// lock of the next owner, whose release may free the lock of a third:
//
//   c1:  A-a==(...!....)==R---r               c1's DEL frees c2's lock
//   c2:             A-a=========!=R-r         so c3 is granted the key within c2's lease;
//   c3:                     A-a=======R-r     c2's DEL then frees c3's lock
//
// Without the stall, no release would have freed another owner's lock. So the lock broke no
// promise, and these rules apply:
// - A hold is doubtful from the time at which its lease expired because of a stall
//   (Hold::expired_by_stall).
// - If the release of a doubtful hold does not check the owner, all holds of the key are tainted
//   from that release on, or from the expiry on if the lease was extended (Hold::tainted_from_ns).
// - The taint ends when no hold of the key is under way, or a lease after the last such release or
//   proven overlap. Later violations count against the lock.
//
// Sets expired_by_stall and tainted_from_ns of the holds, and done_ns of holds with an unanswered
// release. A section that would exceed its lease even without a stall taints no hold.
void MarkTaintedHolds(const Disturbances& disturbances, Holds& holds);

// Returns "what befell the key since 1.200 s may come of a stall of the machine (node 1,
// 1.000-1.800 s)". Returns "" if neither hold was doubtful at `at_ns`. `first` and `second` may be
// null.
std::string AftermathClause(const Disturbances& disturbances, const Hold* first, const Hold* second,
                            int64_t at_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_
