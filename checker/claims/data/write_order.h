// The order in which the writes of one item took effect, as far as reads reveal it. This is the
// order of their answers, unless a read shows that another one of several concurrent writes was
// last.
//
//   c1:  W----------w                 wrote 7
//   c2:       W-----w                 wrote 4, and was answered last
//   c3:                A-a=g=W-w      read 7: so c1 overwrote c2's 4, and c3 overwrote nothing
//
// A write may move behind several concurrent writes:
//
//   c1:  W---------------w                 delayed; wrote 7
//   c4:    W-w                             wrote 5, which c2 read before c1's 7 took effect
//   c2:            W------w                wrote 4 over 5
//   c3:                     A-a=g          read 7: c1's write took effect after both
//
// Not thread-safe. Keeps the last kMostMoved writes, and all overwrites.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_WRITE_ORDER_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_WRITE_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/evidence/holds.h"

namespace doublehold {

// A write over a stock that its client had not read. A correct write leaves one unit less than the
// stock that it overwrites. Each unit more is a lost order. Each unit less brings back a lost
// order:
//
//   c1:  read 9                                 write 8            found 6, left 8, not 5: 3 lost
//   c2:         read 9 write 8 .. 7 .. write 6
//   c3:                                 read 6        write 5     found 8, left 5, not 7: 2 back
//
// So c1 lost one order in the end, and c3 none. The sum of `lost` over all overwrites is the number
// of orders minus the fall of the stock.
struct Overwrite {
  Event write;
  std::optional<Event> read;
  std::optional<Event> over;  // the overwritten write, or none for the initial stock
  Span over_when;
  int64_t stock = 0;  // the overwritten stock
  int64_t from_ns = 0;
  int64_t lost = 0;
  // The earlier overwrites whose lost orders this write brought back: index, and number of orders.
  std::vector<std::pair<size_t, int64_t>> brought_back{};
  bool undone = false;  // no longer counts, since the order of the writes has changed
  bool sold = true;     // whether the write was confirmed

  // Lost orders. Does not count the order of this write itself, unless the write is confirmed.
  [[nodiscard]] int64_t Cost() const { return lost - (sold ? 0 : 1); }
};

class WriteOrder {
 public:
  static constexpr size_t kMostMoved = 32;

  explicit WriteOrder(int64_t initial) { now_.stock = initial; }

  void Invoke(const Event& write) { pending_.push_back({.invoked = write}); }
  // Drops the pending write of a session, because the write failed or does not count here.
  void Forget(const SessionId& session) { TakePending(session); }
  // Appends a confirmed write. `read`: the last read of its session.
  void Confirm(const Event& write, const std::optional<Event>& read);
  // Treats the final stock as one more read.
  void End(int64_t stock, int64_t at_ns) { NoteRead(stock, at_ns); }

  // Returns when the write with this answer was invoked, or the time of the answer if unknown.
  [[nodiscard]] int64_t InvokedNs(const Event& answer) const;
  [[nodiscard]] const std::vector<Overwrite>& overwrites() const { return overwrites_; }

 private:
  // A write that was invoked. It may take effect before its answer, or without an answer.
  struct Pending {
    Event invoked;
    bool took_effect = false;  // a later read returned the value that was written
  };
  // A stock, and the write that left this stock. The initial stock has no such write.
  struct StockState {
    int64_t stock = 0;
    std::optional<Event> last;
    Span last_when;  // `last` took effect at some time in this span
  };
  // A write in the order, and the stock that it overwrote.
  struct Written {
    Event write;
    std::optional<Event> read;
    Span when;
    StockState over;
    std::optional<size_t> overwrite{};  // index into overwrites_
    bool sold = true;
  };

  std::optional<Pending> TakePending(const SessionId& session);
  void NoteRead(int64_t read, int64_t at_ns);
  void TookEffectBy(int64_t at_ns);
  bool AppendPendingWrite(int64_t read, int64_t at_ns);
  void MarkConfirmed(const Event& write);
  void MoveLast(int64_t read);
  void Append(Written written);
  void NoteOverwrite(const Written& written);
  void Undo(const Written& written);

  StockState now_;
  std::deque<Written> recent_;  // the last writes in their order, without gaps
  std::vector<Pending> pending_;
  std::vector<Overwrite> overwrites_;
  // Indices of overwrites with lost orders that no later overwrite has brought back.
  std::set<size_t> costly_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_WRITE_ORDER_H_
