// The claim `torn-read`: a record in two halves is never read half old and half new.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_TORN_READ_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_TORN_READ_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A writer leaves both halves at one version, and readers look at them one after the other. Two
// versions in one look mean that a writer was at work meanwhile, though the reader held the key:
//
//   c1:  A-a=7=========8=R-r      read the first half before, the second after c2 had written
//   c2:        A-a=7>8=R-r
//
// But a writer that did not finish leaves the halves apart for everybody after it, whatever the
// lock does: where either version may be of a write that failed, or of which nobody knows whether
// it was done, the look proves nothing and leaves the claim unknown.
//
//   c2:  A-a=7>8(killed)          one half 7, the other 8, until the next write
//   c1:                  A-a=78=R
//
// A look without a hold of the one that looked is not judged: it was promised nothing. Unknown
// where most looks were not judged, had no answer, or were at what no other is known to have
// written.
ClaimVerdict CheckTornRead(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_TORN_READ_H_
