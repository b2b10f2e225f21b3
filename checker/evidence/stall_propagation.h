// Marks the holds that may be affected because the machine made another holder outlive its lease.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_

#include <string>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A holder that the machine stalled past its lease continues when it wakes. Its next operations
// affect whoever holds the key by then, and that holder's operations affect the next:
//
//   c1:  A-a==(...!....)==R---r               its DEL frees c2's lock
//   c2:             A-a=========!=R-r         so c3 is granted the key in c2's lease;
//   c3:                     A-a=======R-r     and c2's DEL frees c3's
//
// On a machine that runs, none of this would have happened. A lock that promises nothing past the
// lease kept all its promises here. So a hold is doubtful from where the machine ended its lease,
// and if its release does not check the owner, the whole key is from that release on: until the key
// was let go, or a lease after the last such release or overlap. Later violations are the lock's
// own.
//
// Sets Hold::expired_by_stall and Hold::tainted_from_ns. A section that is longer than its lease
// anyway makes nothing doubtful.
void MarkAftermath(const Disturbances& disturbances, Holds& holds);

// "what befell the key since 1.200 s may come of a stall of the machine (node 1, 1.000-1.800 s)";
// empty: neither hold was doubtful at `at_ns`. Either may be null.
std::string AftermathClause(const Disturbances& disturbances, const Hold* first, const Hold* second,
                            int64_t at_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_STALL_PROPAGATION_H_
