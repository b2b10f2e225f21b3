// For a stock whose sums are right: whether an update may still have been lost.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_

#include <string>

#include "checker/evidence/evidence.h"
#include "lib/history/history.h"

namespace doublehold {

// Whether two writes that may have taken effect had read the same value; true if records were lost.
// If not, no write overwrote another. Proof: suppose that one did, and take the first write over a
// value that its client had not read. Until then the stock fell by one per write, so another write
// had started from the value that this client had read.
//
//   c1:  A-a=g=W------------w       read 5; took effect at once, answered late
//   c2:            A-a=g=w          read 4, the value that c1 had written
bool WasOneValueReadTwice(const History& history);

// Describes a stock that rose; empty if there is none, or if the mode is not kReadThenSet. A sale
// never raises the stock. So a stock above an earlier value, in a later read, confirmed write or
// final count, shows that a late write overwrote a newer one.
//
//   c1:  A-a=g=W-?                   read 5; its 4 lands after c2's 3
//   c2:             A-a=g=w          read 4, wrote 3
//   final:                     4
std::string DescribeRise(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
