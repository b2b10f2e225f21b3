// What may come of a lease that the machine ended: marks the holds in which nothing is certain any
// more.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_

#include <string>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A holder that the machine stalled past its lease goes on when it wakes, and what it does then
// befalls whoever holds the key by that time; what that one does, the next:
//
//   c1:  A-a==(...!....)==R---r               its DEL frees c2's lock
//   c2:             A-a=========!=R-r         so c3 is granted the key beside it, both leases being valid;
//   c3:                     A-a=======R-r     and c2's DEL frees c3's
//
// None of this would have happened on a machine that runs, and a lock that only promises nothing
// past the lease did all that it promised. So a hold is doubtful from where the machine ended its
// lease; and from where a doubtful one may free the key of others (its release does not look whose
// it is, or nobody knows what came of it) until that is answered, so is whoever has the key then.
// The chain ends where nobody doubtful is left: what happens later to the key is the lock's own
// doing again.
//
// Sets Hold::lapsed and Hold::harmed_from_ns. A lease that a fault ended, or a section that is too
// long anyway, makes nothing doubtful.
void MarkAftermath(const Scene& scene, Holds& holds);

// "what befell the key since 1.200 s may come of a stall of the machine (node 1, 1.000-1.800 s)";
// empty: neither hold was doubtful at `at_ns`. Either may be null.
std::string AftermathClause(const Scene& scene, const Hold* first, const Hold* second,
                            int64_t at_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_
