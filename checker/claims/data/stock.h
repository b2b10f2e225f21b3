// The claim `stock`: the stock fell by as many units as orders were confirmed, and no further than
// to 0.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Counts of one item. The verdict rests on these numbers alone.
//
//   sold_least  orders confirmed, or writes that certainly took effect, whichever are more
//   sold_most   the same with orders and writes of unknown outcome
//
// Each sale takes one unit. A read-modify-write that reads r writes r - 1. So the last value
// written is below the initial stock by at most one for each write in its own chain of reads:
//
//   c1:  read 5           write 4         fell by 2 in the end, though three orders were confirmed:
//   c2:    read 5 write 4 read 4 write 3    initial - final < sold_least, an update was lost
//
// The stock never falls further than that: initial - final > sold_most is stock that vanished. A
// write of unknown outcome only raises sold_most, whenever it takes effect.
//
// If a sale is retried until it succeeds (SeveralTries), it may have several writes under one hold,
// of which at most one may take a unit:
//
//   c1:  read 5 write 4 ?      (it was done; only the answer was lost)
//        read 4 write 3 ok     fell by 2 in the end, for one sale: an order twice
//
// So the stock may fall by one for each sale with a write that did or may have taken effect. If it
// fell by more than the sales that certainly did, the claim is unknown if one of these retried a
// write of unknown outcome. That sale may have taken two units, and another sale none.
struct ItemCount {
  int64_t initial = 0;
  std::optional<int64_t> final_stock;
  int64_t final_orders = 0;
  int64_t orders = 0;  // the customer was told "sold"
  int64_t unknown_orders = 0;
  int64_t writes = 0;
  int64_t unknown_writes = 0;
  // For modes with SeveralTries; each sale is one hold. In this order: sales with a write that took
  // effect; the same with unknown writes or an order; those that retried an unknown write.
  std::optional<int64_t> sales, perhaps_sales, tried_again;
  int64_t lowest = 0;  // lowest stock ever written or found
  // Confirmed writes that had read the same stock as another: each is a lost update.
  int64_t same_read = 0;
  bool touched_after_final = false;  // by a write after the final numbers were read
  bool complete = true;              // no record of any client was lost

  [[nodiscard]] int64_t SoldLeast() const;
  [[nodiscard]] int64_t SoldMost() const;
  [[nodiscard]] bool Final() const { return final_stock && !touched_after_final; }

  // How many orders each kind of error affects; 0: none, or unknown.
  [[nodiscard]] int64_t Lost() const;       // initial - final < sold_least
  [[nodiscard]] int64_t Vanished() const;   // initial - final > sold_most
  [[nodiscard]] int64_t Oversold() const;   // orders > initial
  [[nodiscard]] int64_t BelowZero() const;  // a stock under 0
  [[nodiscard]] int64_t Missing() const;    // confirmed, but not in the store
  [[nodiscard]] int64_t Doubled() const;    // in the store more often than ordered
  [[nodiscard]] int64_t Twice() const;      // initial - final > perhaps_sales, by writes there were
  // A sale that retried may have taken two units, and another sale none; the counts cannot tell.
  [[nodiscard]] bool PerhapsTwice() const;
  [[nodiscard]] int64_t Wrong() const;  // the largest of these: one error may count in several
};

// How the clients write the stock.
enum class WriteMode : uint8_t {
  kReadThenSet,  // writes the value read minus one: two writes from one value are a lost update
  kDecrement,    // DECR or a script: the value written is the reply; reads do not matter
  kOther,        // unknown: only the arithmetic is judged
};
WriteMode WriteModeOf(const RunFacts& facts);

// Counts each item in one pass over the events; an item for each key.
std::vector<ItemCount> CountItems(const History& history);

// Violated when any ItemCount::Wrong() is above 0.
ClaimVerdict CheckStock(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_
