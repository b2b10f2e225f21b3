// Corrects the faults that a sentence names, once the cause is known.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_

#include "checker/explain/cause.h"

namespace doublehold {

// Replaces the faults in a sentence by the faults of the cause. If all leases were valid, a checker
// names a fault that was active at about the time of the violation. The cause may be a fault that
// ended long before. For example, a lost reply delays a release by a lease.
//
// If a release freed another owner's lock, the sentence names the faults that made this release
// late. In a chain, each release frees the lock of the next owner. Then the sentence names the
// faults that made the first release late:
//
//   c1:  A-------------------a=!==R-r                    lost reply; its release frees c3's lock
//   c3:                        A-a=========R-r           c3's release frees c2's lock
//   c2:                             A-a=========R-r      c2's release frees the next owner's lock
//
// Does nothing if the cause is `unexplained` or `no-lock`, or if a stall of the machine explains
// the violation.
void NameFaultsBehind(const ViolationContext& record, const Explanation& why, Violation& violation);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_
