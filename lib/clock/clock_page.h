// The writing side of clock_layout.h: moves the wall clock of another process, which runs under the
// clock shim.
#ifndef DOUBLEHOLD_LIB_CLOCK_CLOCK_PAGE_H_
#define DOUBLEHOLD_LIB_CLOCK_CLOCK_PAGE_H_

#include "lib/base/time.h"
#include "lib/clock/clock_layout.h"

namespace doublehold {

using ClockSlot = doublehold_clock_slot;

// Both clocks of the machine at one instant.
struct ClockReading {
  MonoTime mono;
  WallTime wall;
};
ClockReading ReadMachineClocks();

// Further ahead by `swing` (or behind, below 0) in every other stretch of `period`, beginning with
// the first.
struct Strobe {
  Duration swing{};
  Duration period{};
};

// The slot that follows `current`, which was set for `current_offset`, when at `now` the clock is
// to be `offset` ahead of the machine's and to run `rate` times as fast.
ClockSlot MovedClock(const ClockSlot& current, Duration current_offset, const ClockReading& now,
                     Duration offset, double rate, const Strobe& strobe = {});

// The writing side of one page. One ClockPage a page; not thread-safe. Does not own the memory,
// which must be DOUBLEHOLD_CLOCK_PAGE_BYTES long, zero or formatted before, and must outlive it.
class ClockPage {
 public:
  // Formats the page: the machine's own time.
  explicit ClockPage(void* page);

  // From now on the wall clock is `offset` ahead of the machine's and runs `rate` (0..100] times as
  // fast. When the offset is the one that was set before, the clock goes on from where it is: only
  // its rate changes. A strobe begins anew. Set(0, 1.0) restores the machine's time.
  void Set(Duration offset, double rate, const Strobe& strobe = {});

  // What a process under the shim reads now; and what it reads at an instant of the machine's.
  [[nodiscard]] WallTime Wall() const;
  [[nodiscard]] WallTime WallAt(const ClockReading& now) const;
  // By how much that is ahead of the machine's wall clock now.
  [[nodiscard]] Duration Ahead() const;

 private:
  doublehold_clock_page* page_;
  Duration offset_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLOCK_CLOCK_PAGE_H_
