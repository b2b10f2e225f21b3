// Whether stalls of the machine explain sales that took a unit twice: the client retried a write
// that had not been answered.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_

#include <string>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// Returns a text for each item with ItemCount::Twice() above 0: which write waited in which stall.
// Empty unless the machine alone may be the cause, and for all other items. Without the stall the
// write would have been answered, and its sale not retried:
//
//   c1:          A-a=g=W------?==g=W-w=R-r    | 5 5>4 4 4>3    took two units
//   machine n0:         (--------)                             the store, until after the timeout
//
// Each retried write that may have taken effect must have waited in a stall for more than half of
// its time. In mode kReadThenSet each value of the stock existed once. So at most one of the writes
// that had read one value took effect, and a stall of one of them is enough. If a confirmed write
// had read that value, no other write that had read it took effect.
std::vector<std::string> ExplainRetriesByStalls(const Evidence& evidence,
                                                const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
