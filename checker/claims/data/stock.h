// The claim `stock`: as many units left the stock as orders were confirmed, and no more than there
// were.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// What was counted of one item. The decision rests on these numbers alone.
//
//   sold_least  orders confirmed, or writes that certainly happened, whichever are more
//   sold_most   the same with everything that perhaps happened
//
// Each sale takes one unit. A read-modify-write that reads r writes r - 1, so the last value
// written lies at most one below the initial stock for each write in its own chain of reads:
//
//   c1:  read 5           write 4         fell by 2 in the end, though three orders were confirmed:
//   c2:    read 5 write 4 read 4 write 3    initial - final < sold_least, an update was lost
//
// and never lower than that: initial - final > sold_most is stock that vanished. A write of unknown
// outcome raises sold_most only, whenever it lands.
//
// Where a sale is tried until it succeeds (SeveralTries), it may carry several writes under one
// hold, of which one at most may take a unit:
//
//   c1:  read 5 write 4 ?      (it was done; only the answer was lost)
//        read 4 write 3 ok     fell by 2 in the end, for one sale: an order twice
//
// So the stock may fall by one for each sale that wrote or perhaps did, however often. Where it
// fell by more than the sales that certainly did, and one of these had tried before with unknown
// outcome, that one may have taken two units in the place of another that took none: unknown.
struct ItemCount {
  int64_t initial = 0;
  std::optional<int64_t> final_stock;
  int64_t final_orders = 0;
  int64_t orders = 0;  // confirmed: the customer was told "sold"
  int64_t unknown_orders = 0;
  int64_t writes = 0;
  int64_t unknown_writes = 0;
  // Of a mode with SeveralTries; each is one hold. That wrote; that wrote or perhaps did, or
  // ordered; that wrote and perhaps did so before.
  std::optional<int64_t> sales, perhaps_sales, tried_again;
  int64_t lowest = 0;  // stock ever written or found
  // Confirmed writes that had read the same stock as another one: each stands for a lost update.
  int64_t same_read = 0;
  bool touched_after_final = false;  // so that the final numbers are not final
  bool complete = true;              // no record of any client was lost

  [[nodiscard]] int64_t SoldLeast() const;
  [[nodiscard]] int64_t SoldMost() const;
  [[nodiscard]] bool Final() const { return final_stock && !touched_after_final; }

  // How many orders went wrong in each way; 0 when none, or not known.
  [[nodiscard]] int64_t Lost() const;       // initial - final < sold_least
  [[nodiscard]] int64_t Vanished() const;   // initial - final > sold_most
  [[nodiscard]] int64_t Oversold() const;   // orders > initial
  [[nodiscard]] int64_t BelowZero() const;  // a stock under 0
  [[nodiscard]] int64_t Missing() const;    // confirmed, and not in the store
  [[nodiscard]] int64_t Doubled() const;    // in the store more often than ordered
  [[nodiscard]] int64_t Twice() const;      // initial - final > perhaps_sales, by writes there were
  // One that tried again may have taken two units, and another none: nobody can tell.
  [[nodiscard]] bool PerhapsTwice() const;
  [[nodiscard]] int64_t Wrong() const;  // the largest of these: the same order may show in several
};

// How the clients wrote the stock.
enum class WriteMode : uint8_t {
  kReadThenSet,  // wrote what they had read less one: two that read the same are a lost update
  kDecrement,    // by DECR or in a script: the value written is the reply; who reads is nothing
  kOther,        // only the arithmetic
};
WriteMode WriteModeOf(const RunFacts& facts);

// Whether a sale that is refused, or not answered, is tried again under the same hold.
bool SeveralTries(const RunFacts& facts);

// One pass over the events; an item for each key.
std::vector<ItemCount> CountItems(const History& history);

// Violated when any ItemCount::Wrong() is above 0.
ClaimVerdict CheckStock(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_
