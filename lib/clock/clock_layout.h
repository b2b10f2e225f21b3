/* The page of shared memory through which one process moves the wall clock of another.
 *
 *   wall = base_wall + (mono - base_mono) * rate       while the wall clock is moved
 *   wall = the machine's wall clock                    otherwise
 *
 * A strobe divides time into intervals of length `period`. In the first, third, fifth, ... interval
 * the clock is ahead by a further `swing`.
 *
 * One writer (ClockPage), any number of readers (the clock shim). The page holds two slots and a
 * version. The slot version & 1 is in force. The writer fills the other slot and increments the
 * version. A writer that is stopped or dies meanwhile leaves the old slot in force, and blocks no
 * reader.
 *
 * The environment tells the shim where the page is: DOUBLEHOLD_CLOCK="<fd>:<byte offset>". The
 * descriptor is a memfd and must survive exec. The offset is a multiple of the page size.
 */
#ifndef DOUBLEHOLD_LIB_CLOCK_CLOCK_LAYOUT_H_
#define DOUBLEHOLD_LIB_CLOCK_CLOCK_LAYOUT_H_

#include <stdint.h>

#define DOUBLEHOLD_CLOCK_VARIABLE "DOUBLEHOLD_CLOCK"
#define DOUBLEHOLD_CLOCK_PAGE_BYTES 4096L
/* Identifies a clock page with this layout. */
#define DOUBLEHOLD_CLOCK_MAGIC UINT64_C(0x316b636f6c436844) /* "DhClock1" */
/* Rates are fixed-point integers: exact on every machine, and atomic. */
#define DOUBLEHOLD_CLOCK_RATE_ONE (INT64_C(1) << 32)

struct doublehold_clock_slot {
  int64_t moved;        /* 0: passes the machine's own time */
  int64_t base_wall_ns; /* the time of the moved clock ... */
  int64_t base_mono_ns; /* ... at this time of the monotonic clock */
  int64_t rate_q32;     /* in 1/DOUBLEHOLD_CLOCK_RATE_ONE */
  int64_t swing_ns;
  int64_t period_ns; /* 0: no strobe */
};

struct doublehold_clock_page {
  uint64_t magic;
  uint64_t version;
  struct doublehold_clock_slot slots[2];
};

/* Returns the time of the moved clock at `mono_ns`, without its strobe. */
static inline int64_t doublehold_clock_steady(const struct doublehold_clock_slot* slot,
                                              int64_t mono_ns) {
  /* Does not overflow within a century at a hundred times the true rate. */
  __extension__ typedef __int128 wide;
  const wide passed_ns = mono_ns - slot->base_mono_ns;
  /* NOLINTNEXTLINE(bugprone-narrowing-conversions): C has no other form, and it fits. */
  const int64_t advanced_ns = (passed_ns * slot->rate_q32) >> 32;
  return slot->base_wall_ns + advanced_ns;
}

/* Returns the time of the moved clock at `mono_ns`. */
static inline int64_t doublehold_clock_wall(const struct doublehold_clock_slot* slot,
                                            int64_t mono_ns) {
  const int64_t steady_ns = doublehold_clock_steady(slot, mono_ns);
  if (slot->period_ns <= 0) return steady_ns;
  const int64_t stretch = (mono_ns - slot->base_mono_ns) / slot->period_ns;
  return (stretch & 1) == 0 ? steady_ns + slot->swing_ns : steady_ns;
}

/* Returns a consistent copy of the slot in force. `*version` identifies it: see
 * doublehold_clock_current. */
static inline struct doublehold_clock_slot doublehold_clock_load(
    const struct doublehold_clock_page* page, uint64_t* version) {
  for (;;) {
    const uint64_t seen = __atomic_load_n(&page->version, __ATOMIC_ACQUIRE);
    const struct doublehold_clock_slot* from = &page->slots[seen & 1];
    struct doublehold_clock_slot slot;
    slot.moved = __atomic_load_n(&from->moved, __ATOMIC_ACQUIRE);
    slot.base_wall_ns = __atomic_load_n(&from->base_wall_ns, __ATOMIC_ACQUIRE);
    slot.base_mono_ns = __atomic_load_n(&from->base_mono_ns, __ATOMIC_ACQUIRE);
    slot.rate_q32 = __atomic_load_n(&from->rate_q32, __ATOMIC_ACQUIRE);
    slot.swing_ns = __atomic_load_n(&from->swing_ns, __ATOMIC_ACQUIRE);
    slot.period_ns = __atomic_load_n(&from->period_ns, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&page->version, __ATOMIC_RELAXED) == seen) {
      *version = seen;
      return slot;
    }
  }
}

static inline int doublehold_clock_current(const struct doublehold_clock_page* page,
                                           uint64_t version) {
  return __atomic_load_n(&page->version, __ATOMIC_ACQUIRE) == version;
}

#endif /* DOUBLEHOLD_LIB_CLOCK_CLOCK_LAYOUT_H_ */
