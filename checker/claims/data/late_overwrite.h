// Where the sums are right: what may have been lost all the same, and what shows that it was.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_

#include <string>

#include "checker/evidence/evidence.h"
#include "lib/history/history.h"

namespace doublehold {

// Whether two writes that may have been carried out started from one value. Where none did nothing
// was overwritten: take the first that wrote over what it had not read; until then the stock went
// down step by step, so one that it did not read started from the value that it read.
//
//   c1:  A-a=g=W------------w       read 5, written at once, and answered late
//   c2:            A-a=g=w          read 4: what c1 had written
bool OneValueWasReadTwice(const History& history);

// Nobody puts anything back: where more was seen than had been seen, or left by a write that was
// confirmed, another came late over it; and so did a confirmed write that had read more. Its
// sentence; empty when there is none.
//
//   c1:  A-a=g=W-?                   read 5; its 4 lands after c2's 3
//   c2:             A-a=g=w          read 4, wrote 3
//   final:                     4
std::string TellRise(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_LATE_OVERWRITE_H_
