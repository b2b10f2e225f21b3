// Which writes made the stock go wrong: the explanation of a `stock` verdict, not its decision.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_

#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"
#include "checker/verdict/decide.h"

namespace doublehold {

struct StockTale {
  std::vector<bool> told;          // of each item: at least one write was told
  std::vector<int64_t> explained;  // of each item: how many lost orders they stand for
};

// Replays the confirmed writes of the items that went wrong in the order in which they were
// confirmed, and tells each that was made over a stock it had not read.
StockTale TellStock(const Evidence& evidence, const std::vector<ItemCount>& items,
                    Stories& stories);

// The same of items that did not go wrong by count: a write over a stock that it had not read, or a
// stock that rose, which writes of unknown outcome may have evened out. Its sentence; empty when
// there is none.
std::string TellHiddenOverwrite(const Evidence& evidence, const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
