// Whether stalls of the machine explain sales that took a unit twice: the client retried a write
// that had not been answered.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_

#include <string>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// For each item with ItemCount::Twice(): which write waited in which stall, if the machine alone
// may be the cause. Empty for all other items. Without the stall the write would have been
// answered, and its sale not retried:
//
//   c1:          A-a=g=W------?==g=W-w=R-r    | 5 5>4 4 4>3    took two units
//   machine n0:         (--------)                             the store, until after the timeout
//
// A write that waited in a stall for less than half of its time is not excused. So each write that
// may have taken effect and was retried must have waited in one. In mode kReadThenSet each stock
// existed once: if another sale certainly started from the value that a write had read, that write
// had no effect.
std::vector<std::string> TakenTwiceByMachine(const Evidence& evidence,
                                             const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
