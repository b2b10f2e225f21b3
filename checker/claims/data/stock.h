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

// Counts of one item. These numbers alone make the claim `violated`.
//
//   sold_least  confirmed orders or confirmed writes, whichever are more
//   sold_most   the same, with orders and writes of unknown outcome added
//
// Each sale takes one unit. A read-modify-write that reads r writes r - 1. So the stock falls by
// one per write only if each write's client had read the value that it overwrote:
//
//   c1:  read 5           write 4         fell by 2 in the end, though three orders were confirmed:
//   c2:    read 5 write 4 read 4 write 3    initial - final < sold_least: an update was lost
//
// The stock never falls by more than sold_most: if initial - final > sold_most, stock vanished. A
// write of unknown outcome only raises sold_most, whenever it takes effect.
//
// In the modes watch, version, atomic-script and fenced, clients retry a sale until it succeeds. A
// sale may then have several writes under one hold, of which at most one may take a unit:
//
//   c1:  read 5 write 4 ?      (took effect; only the answer was lost)
//        read 4 write 3 ok     fell by 2 in the end, for one sale: a unit was taken twice
//
// So the stock may fall by at most perhaps_sales. The claim is unknown if the stock fell by more
// than `sales`, and a sale retried a write that may have taken effect. The retried sale may have
// taken two units, and another sale none.
struct ItemCount {
  int64_t initial = 0;
  std::optional<int64_t> final_stock;
  int64_t final_orders = 0;
  int64_t orders = 0;  // confirmed to the customer
  int64_t unknown_orders = 0;
  int64_t writes = 0;
  int64_t unknown_writes = 0;
  // Only in modes that retry; one hold is one sale.
  std::optional<int64_t> sales;          // with a confirmed write
  std::optional<int64_t> perhaps_sales;  // with a write or order that took or may have taken effect
  std::optional<int64_t> tried_again;    // with two such writes
  int64_t lowest = 0;                    // lowest stock ever written or found
  // Confirmed writes that had read the same stock as another: each is a lost update.
  int64_t same_read = 0;
  bool touched_after_final = false;  // by a sale after the final numbers were read
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
  [[nodiscard]] int64_t Twice() const;      // initial - final > perhaps_sales, up to sold_most
  // Whether a sale that retried may have taken two units, and another sale none.
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

// Counts each item in one pass over the events; one item per key.
std::vector<ItemCount> CountItems(const History& history);

// Violated when any ItemCount::Wrong() is above 0.
ClaimVerdict CheckStock(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_
