// Corrects the faults that a sentence names, once the cause is known.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_

#include "checker/explain/cause.h"

namespace doublehold {

// A violation while all leases were valid is first described with a fault that was active at about
// that time. Its cause may be another fault, even one that ended long before: a lost reply made a
// release late by a lease. So the sentence names the faults of the cause instead. For a release
// that freed another's lock, these are the faults that made it late. If the release freed another's
// lock only because an earlier release had freed its own, the first release of the chain counts:
//
//   c1:  A-------------------a=!==R-r                    lost reply; its release frees c3's lock,
//   c3:                        A-a=========R-r           c3's release that of c2,
//   c2:                             A-a=========R-r      c2's that of the next holder
//
// Does nothing if the cause is `unexplained`, or a stall of the machine.
void NameFaultsBehind(const ViolationContext& record, const Explanation& why, Violation& violation);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_
