// Sales that took a unit twice, since a write was not answered and they tried again: whether the
// machine is why.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_

#include <string>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// For each item that has ItemCount::Twice(): which write stood in which stall, where the machine
// alone may be why; empty for all others. A write that stood in a stall would have been answered
// otherwise, and its sale not tried again:
//
//   c1:          A-a=g=W------?==g=W-w=R-r    | 5 5>4 4 4>3       took two
//   machine n0:         (--------)                                the store, until after its client gave up
//
// Not so of one that was left without an answer while everything ran, also if it stood in a stall
// before: an answer would have come soon after. So each write that may have been done, and was
// tried again by one that may have been, must have stood in one; one that a fault left without an
// answer leaves no excuse. Where what was read is written less one, each stock was there once: if
// another has certainly sold from what a write had read, it was not done.
std::vector<std::string> TakenTwiceByMachine(const Evidence& evidence,
                                             const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_RETRIED_SALE_H_
