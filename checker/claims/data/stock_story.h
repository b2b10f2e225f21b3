// Which writes made the stock wrong. This explains a `stock` verdict; it does not decide it.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_

#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/evidence/evidence.h"
#include "checker/verdict/decide.h"

namespace doublehold {

struct StockTale {
  std::vector<bool> told;          // by item: at least one write was described
  std::vector<int64_t> explained;  // by item: lost orders that the described writes explain
};

// Replays the confirmed writes of each wrong item in the order of their answers, and describes each
// write over a stock that it had not read.
StockTale TellStock(const Evidence& evidence, const std::vector<ItemCount>& items,
                    ClaimFindings& found);

// Finds a lost update in items whose sums are right, which writes of unknown outcome may have
// hidden: a write over a stock that it had not read, or a stock that rose. Returns its sentence;
// empty: none.
std::string TellHiddenOverwrite(const Evidence& evidence, const std::vector<ItemCount>& items);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_STORY_H_
