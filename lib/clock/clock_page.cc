#include "lib/clock/clock_page.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmath>

#include "lib/base/check.h"

namespace doublehold {
namespace {

// Reads the clock from the kernel. A supervisor that itself runs under a shim must still set clocks
// relative to the machine's clock.
int64_t ReadNs(clockid_t clock) {
  timespec time{};
  syscall(SYS_clock_gettime, clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

ClockReading ReadMachineClocks() {
  // Takes the reading with the shortest time between its two clock reads. A stall between them
  // would move the clock unintentionally.
  ClockReading best{};
  int64_t least_ns = INT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const int64_t before_ns = ReadNs(CLOCK_MONOTONIC);
    const int64_t wall_ns = ReadNs(CLOCK_REALTIME);
    const int64_t spent_ns = ReadNs(CLOCK_MONOTONIC) - before_ns;
    if (spent_ns >= least_ns) continue;
    least_ns = spent_ns;
    best = {MonoFromNs(before_ns + spent_ns / 2), WallTime(Duration(wall_ns))};
  }
  return best;
}

ClockSlot MovedClock(const ClockSlot& current, Duration current_offset, const ClockReading& now,
                     Duration offset, double rate, const Strobe& strobe) {
  CHECK(rate > 0 && rate <= 100);
  if (offset == Duration{} && rate == 1.0 && strobe.swing == Duration{}) return ClockSlot{};
  ClockSlot next{};
  next.moved = 1;
  next.base_mono_ns = ToNs(now.mono);
  next.rate_q32 = std::llround(rate * static_cast<double>(DOUBLEHOLD_CLOCK_RATE_ONE));
  next.base_wall_ns = current.moved != 0 && offset == current_offset
                          ? doublehold_clock_steady(&current, next.base_mono_ns)
                          : (now.wall + offset).time_since_epoch().count();
  next.swing_ns = ToNs(strobe.swing);
  next.period_ns = strobe.swing == Duration{} ? 0 : ToNs(strobe.period);
  return next;
}

ClockPage::ClockPage(void* page) : page_(static_cast<doublehold_clock_page*>(page)) {
  *page_ = doublehold_clock_page{};
  __atomic_store_n(&page_->magic, DOUBLEHOLD_CLOCK_MAGIC, __ATOMIC_RELEASE);
}

void ClockPage::Set(Duration offset, double rate, const Strobe& strobe) {
  const uint64_t version = page_->version;
  const ClockSlot next =
      MovedClock(page_->slots[version & 1], offset_, ReadMachineClocks(), offset, rate, strobe);
  offset_ = offset;
  ClockSlot& free = page_->slots[(version + 1) & 1];
  // Stores each value with release order. A reader that sees any of these values then also sees
  // that its version is outdated.
  __atomic_store_n(&free.moved, next.moved, __ATOMIC_RELEASE);
  __atomic_store_n(&free.base_wall_ns, next.base_wall_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&free.base_mono_ns, next.base_mono_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&free.rate_q32, next.rate_q32, __ATOMIC_RELEASE);
  __atomic_store_n(&free.swing_ns, next.swing_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&free.period_ns, next.period_ns, __ATOMIC_RELEASE);
  __atomic_store_n(&page_->version, version + 1, __ATOMIC_RELEASE);
}

WallTime ClockPage::WallAt(const ClockReading& now) const {
  const ClockSlot& slot = page_->slots[page_->version & 1];
  if (slot.moved == 0) return now.wall;
  return WallTime(Duration(doublehold_clock_wall(&slot, ToNs(now.mono))));
}

}  // namespace doublehold
