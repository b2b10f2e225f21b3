// The writing side of clock_layout.h: moves the wall clock of another process that runs under the
// clock shim.
#ifndef DOUBLEHOLD_LIB_CLOCK_CLOCK_PAGE_H_
#define DOUBLEHOLD_LIB_CLOCK_CLOCK_PAGE_H_

#include "lib/base/time.h"
#include "lib/clock/clock_layout.h"

namespace doublehold {

using ClockSlot = doublehold_clock_slot;

// Both clocks of the machine, read at the same time.
struct ClockReading {
  MonoTime mono;
  WallTime wall;
};
ClockReading ReadMachineClocks();

// Divides time into intervals of length `period`. In the first, third, fifth, ... interval the
// clock is ahead by a further `swing` (negative: behind).
struct Strobe {
  Duration swing{};
  Duration period{};
};

// Returns the slot that replaces `current`, whose offset is `current_offset`. From `now` on, the
// clock is `offset` ahead of the machine's and runs at `rate`.
ClockSlot MovedClock(const ClockSlot& current, Duration current_offset, const ClockReading& now,
                     Duration offset, double rate, const Strobe& strobe = {});

// The writing side of one page; a page has one ClockPage. Not thread-safe. Does not own the memory.
// The memory must be DOUBLEHOLD_CLOCK_PAGE_BYTES long, zeroed or formatted before, and must outlive
// this object.
class ClockPage {
 public:
  // Initialises the page without an offset: readers get the machine's time.
  explicit ClockPage(void* page);

  // From now on the wall clock is `offset` ahead of the machine's, and runs at `rate`, in (0..100].
  // If the offset has not changed, only the rate changes and the clock continues from its current
  // time. A strobe restarts. Set(0, 1.0) restores the machine's time.
  void Set(Duration offset, double rate, const Strobe& strobe = {});

  // Returns the time that a process under the shim reads at a reading of the machine's clocks.
  [[nodiscard]] WallTime WallAt(const ClockReading& now) const;

 private:
  doublehold_clock_page* page_;
  Duration offset_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_CLOCK_CLOCK_PAGE_H_
