// The claim `torn-read`: no reader that holds the lock sees one half of a record old and the other
// new.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_TORN_READ_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_TORN_READ_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A writer sets both halves to one version. A look reads one half after the other. Two versions in
// one look prove that a write took place during the look, although the reader held the key:
//
//   c1:  A-a=7=========8=R-r      read one half before c2's write, the other after it
//   c2:        A-a=7>8=R-r
//
// But an unfinished write leaves two versions for all later readers, whatever the lock does. So the
// claim is unknown if one of the versions may come from a write that failed or has an unknown
// outcome.
//
//   c2:  A-a=7>8(killed)          one half 7, the other 8, until the next write
//   c1:                  A-a=78=R
//
// So does a store that returned with the data of an instant within a write, or lost its data within
// the look. Then the claim is unknown, unless a later write had set both halves before the look:
//
//   c2:          A-a=7>8=R-r
//   restart n0:         []        restored to an instant within the write
//   c1:                      A-a=87=R
//
// A look by a session without a hold is not judged: no lock protected it. The claim is unknown if
// most looks were not judged, had no answer, or read records that no other session certainly wrote.
ClaimVerdict CheckTornRead(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_TORN_READ_H_
