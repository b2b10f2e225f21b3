// Decides whether stalls of the machine explain sales that took two units. Such a sale has an
// unanswered write that its client retried.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_

#include <string>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// Returns one text for each item, which names a retried write and the stall in which it waited. The
// text is empty if ItemCount::Twice() is 0, or if stalls do not explain all retries of the item.
// Without the stall, the client would have received the answer, and would not have retried the
// sale:
//
//   c1:          A-a=g=W------?==g=W-w=R-r    | 5 5>4 4 4>3    took two units
//   machine n0:         (--------)                             the store stalls past the timeout
//
// Each retried write that may have taken effect must have waited in a stall for more than half of
// its time. In mode kReadThenSet, each value of the stock existed only once. So among the writes
// that had read the same value, at most one took effect, and a stall of one of them is enough. If
// one of these writes is confirmed, no other one took effect.
std::vector<std::string> ExplainRetriesByStalls(const Evidence& evidence,
                                                const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
