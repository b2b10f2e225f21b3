// Finds the writes that made the stock wrong. These writes explain a violation of `stock`. The
// counts in stock.h decide whether there is a violation.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_

#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"
#include "checker/verdict/decide.h"

namespace doublehold {

struct StockStory {
  // By item: whether a write was described.
  std::vector<bool> described;
  // By item: the number of lost orders that the described writes explain.
  std::vector<int64_t> explained;
};

// Replays the confirmed writes of each wrong item in the order of their answers. Describes each
// write over a stock that its client had not read, and each decrement below 0.
StockStory DescribeStockErrors(const Evidence& evidence, const std::vector<ItemCount>& items,
                               ClaimFindings& found);

// Describes a lost update in items whose sums are right. The sums may be right only because of
// writes of unknown outcome. Returns "" if there is no lost update. A lost update is a write over a
// stock that its client had not read, or a stock that rose.
std::string DescribeHiddenOverwrite(const Evidence& evidence, const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
