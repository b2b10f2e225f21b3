// Finds the writes that made the stock wrong. They explain a violation of `stock`; the counts in
// stock.h decide it.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_

#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"
#include "checker/verdict/decide.h"

namespace doublehold {

struct StockStory {
  std::vector<bool> described;     // by item: at least one write was described
  std::vector<int64_t> explained;  // by item: lost orders that the described writes explain
};

// Replays the confirmed writes of each wrong item in the order of their answers. Describes each
// write over a stock that its client had not read.
StockStory DescribeStockErrors(const Evidence& evidence, const std::vector<ItemCount>& items,
                               ClaimFindings& found);

// Describes a lost update in items whose sums are right, since writes of unknown outcome may have
// evened them out; empty if there is none. A lost update is a write over a stock that its client
// had not read, or a stock that rose.
std::string DescribeHiddenOverwrite(const Evidence& evidence, const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
