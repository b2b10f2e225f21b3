// The order in which the writes of one item took effect, as far as the reads tell: that of their
// answers, but where what was read says that another of those under way together came last.
//
//   c1:  W----------w                 wrote 7
//   c2:       W-----w                 wrote 4, and was answered last
//   c3:                A-a=g=W-w      read 7: so c1 wrote over c2's 4, and c3 over nothing
//
// A write may be moved behind all that it was under way with, also behind several:
//
//   c1:  W---------------w                 held up; wrote 7
//   c4:    W-w                            wrote 5, which c2 reads before c1's took effect
//   c2:            W------w               wrote 4 over it
//   c3:                     A-a=g         read 7: c1's came after both
//
// Thread rule: one thread. Keeps the last kMostMoved confirmed writes, and each overwrite.
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

// A write over a stock that it had not read. It should have left one less than it found; by as much
// as it left more, orders were lost. One that left less brought some of them back:
//
//   c1:  read 9                                 write 8            found 6, left 8, not 5: 3 lost
//   c2:         read 9 write 8 .. 7 .. write 6
//   c3:                                 read 6        write 5     found 8, left 5, not 7: 2 back
//
// So c1 cost one order, and c3 none. What all of them cost adds up to orders less the fall of the
// stock.
struct Overwrite {
  Event write;
  std::optional<Event> read;
  std::optional<Event> over;  // none: the initial stock
  Span over_when;
  int64_t stock = 0;  // that it overwrote
  int64_t from_ns = 0;
  int64_t lost = 0;
  std::vector<std::pair<size_t, int64_t>> brought_back{};  // of which overwrites, and how much
  bool undone = false;                                     // it was none: another came between
  bool sold = true;  // an order was confirmed for it: not so of a write without an answer

  // Orders that it cost, as they are counted.
  [[nodiscard]] int64_t Cost() const { return lost - (sold ? 0 : 1); }
};

class WriteOrder {
 public:
  static constexpr size_t kMostMoved = 32;

  explicit WriteOrder(int64_t initial) { now_.stock = initial; }

  void Invoke(const Event& write) { pending_.push_back({.invoked = write}); }
  // A write of the session that did nothing, or nothing that counts here.
  void Forget(const SessionId& session) { TakePending(session); }
  // `read`: the last that its session read.
  void Confirm(const Event& write, const std::optional<Event>& read);
  // What was there when all had ended.
  void End(int64_t stock, int64_t at_ns) { See(stock, at_ns); }

  // When the write was invoked that has this answer.
  [[nodiscard]] int64_t InvokedNs(const Event& answer) const;
  [[nodiscard]] const std::vector<Overwrite>& overwrites() const { return overwrites_; }

 private:
  // A write that was invoked. It may have happened before its reply says so, or without one.
  struct Pending {
    Event invoked;
    bool happened = false;  // a later write has read what it wrote
  };
  // A stock, and the write that left it; none: the initial one.
  struct Left {
    int64_t stock = 0;
    std::optional<Event> last;
    Span last_when;  // it took effect somewhere in there
  };
  // A write that was confirmed, and over what.
  struct Written {
    Event write;
    std::optional<Event> read;
    Span when;
    Left over;
    std::optional<size_t> overwrite{};  // its place among those
    bool sold = true;
  };

  std::optional<Pending> TakePending(const SessionId& session);
  void See(int64_t read, int64_t at_ns);
  void TookEffectBy(int64_t at_ns);
  bool Catch(int64_t read, int64_t at_ns);
  void Sold(const Event& write);
  void MoveLast(int64_t read);
  void Place(Written written);
  void NoteOverwrite(const Written& written);
  void Undo(const Written& written);

  Left now_;
  std::deque<Written> recent_;  // the last that were placed, each right over the one before
  std::vector<Pending> pending_;
  std::vector<Overwrite> overwrites_;
  std::set<size_t> costly_;  // the places of those that lost orders which none brought back
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_WRITE_ORDER_H_
