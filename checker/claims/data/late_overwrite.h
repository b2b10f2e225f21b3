// For a stock whose sums are right: whether an update may have been lost all the same.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_

#include <string>

#include "checker/evidence/evidence.h"
#include "lib/history/history.h"

namespace doublehold {

// Whether two writes that may have been carried out started from one value. If not, nothing was
// overwritten. Proof: take the first write over a value that it had not read. Until then the stock
// fell step by step, so another write started from the value that this one had read.
//
//   c1:  A-a=g=W------------w       read 5, written at once, and answered late
//   c2:            A-a=g=w          read 4: what c1 had written
bool OneValueWasReadTwice(const History& history);

// Stock never rises. A stock above an earlier value, in a later read or confirmed write, shows that
// a late write overwrote a newer one. Returns the sentence that describes this; empty: the stock
// never rose.
//
//   c1:  A-a=g=W-?                   read 5; its 4 lands after c2's 3
//   c2:             A-a=g=w          read 4, wrote 3
//   final:                     4
std::string TellRise(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
