// What a sentence says of faults, where the record tells more than which of them were active.
#ifndef DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_
#define DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_

#include "checker/explain/cause.h"

namespace doublehold {

// A violation while all leases were valid is told with a fault that was active about then. Once its
// cause is known, that may be another's, or be over for long: the release that freed the lock came
// late for a reply that was lost a lease before. So the sentence names the faults that are part of
// the cause; of a release that freed another's lock, what made that one late, and where it did so
// only because its own lock had been freed, the release that this began with:
//
//   c1:  A-------------------a=!==R-r                    its reply was lost; its release frees c3's lock,
//   c3:                        A-a=========R-r           c3's that of c2, and
//   c2:                             A-a=========R-r      c2's that of whoever has the key then
//
// Nothing changes where the cause is not told, or the machine's doing.
void NameFaultsBehind(const Particulars& record, const Explanation& why, Violation& violation);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EXPLAIN_REFINE_SENTENCE_H_
