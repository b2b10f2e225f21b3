// Finds updates that may have been lost although the sums of the stock are right.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_

#include <string>

#include "checker/evidence/evidence.h"
#include "lib/history/history.h"

namespace doublehold {

// Whether two writes that may have taken effect had read the same value. Also true if records were
// lost. If false, no write overwrote a value that its client had not read. Proof: suppose that
// there are such writes, and take the first one. Before this write, the stock fell by one with each
// write. So another write had already started from the value that this client had read.
//
//   c1:  A-a=g=W------------w       read 5; took effect at once, answered late
//   c2:            A-a=g=w          read 4, the value that c1 had written
bool WasOneValueReadTwice(const History& history);

// Describes a stock that rose. Returns "" if no stock rose, or if the mode is not kReadThenSet. A
// sale never raises the stock. If the stock rises, a late write overwrote a newer one. The higher
// value may appear in a read, in a confirmed write or in the final count.
//
//   c1:  A-a=g=W-?                   read 5; its 4 lands after c2's 3
//   c2:             A-a=g=w          read 4, wrote 3
//   final:                     4
std::string DescribeRise(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
