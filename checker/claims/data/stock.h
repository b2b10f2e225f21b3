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
//   sold_least  the number of confirmed orders or of confirmed writes, whichever is larger
//   sold_most   the number of orders or of writes that are confirmed or of unknown outcome,
//               whichever is larger
//
// Each sale takes one unit. A read-modify-write that reads r writes r - 1. So the stock falls by
// one per write only if each write's client had read the value that the write replaced:
//
//   c1:  read 5           write 4         fell by 2 in the end, though three orders were confirmed:
//   c2:    read 5 write 4 read 4 write 3    initial - final < sold_least: an update was lost
//
// The stock never falls by more than sold_most: if initial - final > sold_most, stock vanished.
// This is true no matter when a write of unknown outcome takes effect, since sold_most includes all
// such writes.
//
// In the modes watch, version, atomic-script, fenced and postgres-row, clients retry a sale until
// it succeeds. A sale may then have several writes under one hold, of which at most one may take a
// unit:
//
//   c1:  read 5 write 4 ?      (took effect; only the answer was lost)
//        read 4 write 3 ok     fell by 2 in the end, for one sale: a unit was taken twice
//
// So the stock may fall by at most perhaps_sales. The claim is unknown if the stock fell by more
// than `sales`, and a sale retried a write that may have taken effect. Reason: the retried sale may
// have taken two units, and another sale none.
struct ItemCount {
  int64_t initial = 0;
  std::optional<int64_t> final_stock;
  int64_t final_orders = 0;
  int64_t orders = 0;  // confirmed to the customer
  int64_t unknown_orders = 0;
  int64_t writes = 0;
  int64_t unknown_writes = 0;
  // Set only in modes that retry. In these modes, all writes under one hold are one sale.
  std::optional<int64_t> sales;          // sales with a confirmed write
  std::optional<int64_t> perhaps_sales;  // sales with a write or order that may have taken effect
  std::optional<int64_t> tried_again;    // sales with several writes that may have taken effect
  int64_t lowest = 0;                    // lowest stock that was written or counted
  // Times of the answers to confirmed writes that had read the same stock as an earlier confirmed
  // write. Each of these writes is a lost update.
  std::vector<int64_t> same_read_ns{};
  // Writes that the store refused, because their token or version was old or EXEC returned nil. Set
  // only in the modes fenced, watch and version. Includes the few writes that failed before they
  // reached the store, since a history does not distinguish these.
  std::optional<int64_t> refused_writes{};
  bool touched_after_final = false;  // a sale came after the final numbers were read
  bool complete = true;              // no record of any client was lost

  [[nodiscard]] int64_t SoldLeast() const;
  [[nodiscard]] int64_t SoldMost() const;
  [[nodiscard]] bool Final() const { return final_stock && !touched_after_final; }

  // The number of orders or units that each kind of error affects. 0 if the number is unknown.
  [[nodiscard]] int64_t Lost() const;       // initial - final < sold_least
  [[nodiscard]] int64_t Vanished() const;   // initial - final > sold_most
  [[nodiscard]] int64_t Oversold() const;   // orders > initial
  [[nodiscard]] int64_t BelowZero() const;  // the units by which `lowest` is below 0
  [[nodiscard]] int64_t Missing() const;    // orders that are confirmed, but not in the store
  [[nodiscard]] int64_t Doubled() const;    // orders in the store beyond sold_most
  [[nodiscard]] int64_t Twice() const;      // initial - final > perhaps_sales, up to sold_most
  // Whether a sale that retried may have taken two units, and another sale none.
  [[nodiscard]] bool PerhapsTwice() const;
  // The largest of these numbers, since one error may count in several of them.
  [[nodiscard]] int64_t Wrong() const;
};

// How the clients write the stock.
enum class WriteMode : uint8_t {
  kReadThenSet,  // writes the value read, minus one; two writes from one value are a lost update
  kDecrement,    // by DECR or a script: the reply is the value written, and reads do not matter
  kOther,        // in an unknown way: only the arithmetic is judged
};
WriteMode WriteModeOf(const RunFacts& facts);

// Counts the sales of each item in one pass over the events. Each key has one item.
std::vector<ItemCount> CountItems(const History& history);

// Violated when any ItemCount::Wrong() is above 0.
ClaimVerdict CheckStock(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_STOCK_H_
