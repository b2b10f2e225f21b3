#include "lib/clock/clock_page.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

namespace doublehold {
namespace {

constexpr int64_t kRateOne = DOUBLEHOLD_CLOCK_RATE_ONE;

ClockReading ReadingAt(Duration mono, Duration wall) { return {MonoTime(mono), WallTime(wall)}; }
Duration WallOf(const ClockSlot& slot, Duration mono) {
  return Duration(doublehold_clock_wall(&slot, ToNs(mono)));
}

TEST(MovedClock, RunsFromItsOffset) {
  const ClockSlot slot = MovedClock({}, {}, ReadingAt(10s, 1000s), 3s, 1.0);
  EXPECT_EQ(WallOf(slot, 10s), 1003s);
  EXPECT_EQ(WallOf(slot, 12s), 1005s);
  EXPECT_EQ(WallOf(slot, 9s), 1002s);
}

TEST(MovedClock, RunsAtItsRateFromTheReadingOn) {
  const ClockSlot fast = MovedClock({}, {}, ReadingAt(10s, 1000s), Duration{}, 1.5);
  EXPECT_EQ(WallOf(fast, 10s), 1000s);
  EXPECT_EQ(WallOf(fast, 14s), 1006s);
  const ClockSlot slow = MovedClock({}, {}, ReadingAt(10s, 1000s), Duration{}, 0.25);
  EXPECT_EQ(WallOf(slow, 14s), 1001s);
}

TEST(MovedClock, ContinuesFromItsTimeWhenOnlyTheRateChanges) {
  const ClockSlot fast = MovedClock({}, {}, ReadingAt(10s, 1000s), 3s, 2.0);
  const ClockSlot slow = MovedClock(fast, 3s, ReadingAt(12s, 1002s), 3s, 0.5);
  EXPECT_EQ(WallOf(slow, 12s), 1007s);
  EXPECT_EQ(WallOf(slow, 14s), 1008s);
}

TEST(MovedClock, AnotherOffsetCountsFromTheMachinesTime) {
  const ClockSlot fast = MovedClock({}, {}, ReadingAt(10s, 1000s), 3s, 2.0);
  const ClockSlot moved = MovedClock(fast, 3s, ReadingAt(12s, 1002s), -5s, 2.0);
  EXPECT_EQ(WallOf(moved, 12s), 997s);
}

TEST(MovedClock, StrobesFromItsFirstIntervalOn) {
  const ClockSlot slot =
      MovedClock({}, {}, ReadingAt(10s, 1000s), 3s, 1.0, {.swing = -500ms, .period = 100ms});
  EXPECT_EQ(WallOf(slot, 10s), 1002500ms);
  EXPECT_EQ(WallOf(slot, 10050ms), 1002550ms);
  EXPECT_EQ(WallOf(slot, 10100ms), 1003100ms);
  EXPECT_EQ(WallOf(slot, 10200ms), 1002700ms);
  const ClockSlot after = MovedClock(slot, 3s, ReadingAt(10050ms, 1000050ms), 3s, 1.0);
  EXPECT_EQ(WallOf(after, 10050ms), 1003050ms) << "a strobe leaves nothing behind";
}

TEST(MovedClock, OffsetZeroAndRateOneRestoreTheMachinesTime) {
  const ClockSlot fast = MovedClock({}, {}, ReadingAt(10s, 1000s), Duration{}, 2.0);
  EXPECT_EQ(MovedClock(fast, Duration{}, ReadingAt(12s, 1002s), Duration{}, 1.0).moved, 0);
}

TEST(MovedClock, KeepsNanosecondsOverACenturyAtTheFastestRate) {
  const ClockSlot slot = MovedClock({}, {}, ReadingAt(0s, 0s), Duration{}, 100.0);
  constexpr Duration kYear = 365 * 24 * 3600 * 1s;
  EXPECT_EQ(slot.rate_q32, 100 * kRateOne);
  EXPECT_EQ(WallOf(slot, kYear + Duration(1)), 100 * kYear + Duration(100));
}

class ClockPageTest : public ::testing::Test {
 protected:
  alignas(DOUBLEHOLD_CLOCK_PAGE_BYTES) char memory_[DOUBLEHOLD_CLOCK_PAGE_BYTES] = {};
  ClockPage page_{memory_};
  [[nodiscard]] Duration Ahead() const {
    const ClockReading now = ReadMachineClocks();
    return page_.WallAt(now) - now.wall;
  }
  const doublehold_clock_page* shared_ = reinterpret_cast<const doublehold_clock_page*>(memory_);
};

TEST_F(ClockPageTest, ReadsTheMachinesTimeUntilItIsSet) {
  EXPECT_EQ(Ahead(), Duration{});
  EXPECT_EQ(shared_->magic, DOUBLEHOLD_CLOCK_MAGIC);
}

TEST_F(ClockPageTest, IsAheadByTheSetOffsetUntilItIsRestored) {
  page_.Set(3600s, 1.0);
  // The two readings are microseconds apart. The machine's clock is stepped by far less than a
  // second meanwhile.
  EXPECT_GT(Ahead(), 3599s);
  EXPECT_LT(Ahead(), 3601s);
  page_.Set(Duration{}, 1.0);
  EXPECT_EQ(Ahead(), Duration{});
}

TEST_F(ClockPageTest, GainsAtItsRate) {
  page_.Set(Duration{}, 100.0);
  const ClockReading now = ReadMachineClocks();
  const ClockReading later{now.mono + 1s, now.wall + 1s};
  EXPECT_EQ(page_.WallAt(later) - page_.WallAt(now), 100s);
}

// The page that the signal handler sets repeatedly.
ClockPage* interrupting_page = nullptr;
int interruptions = 0;

// Sets the page twice, so that the slot in force is overwritten. An offset of n hours always has
// rate n.
void Interrupt(int) {
  for (int i = 0; i < 2; ++i) {
    const int n = 2 + interruptions++ % 90;
    interrupting_page->Set(n * 3600s, n);
  }
}

// Two settings interrupt a reader at an arbitrary point. The reader must never mix two settings.
TEST_F(ClockPageTest, AReaderNeverMixesTwoSettings) {
  interrupting_page = &page_;
  Interrupt(0);
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = Interrupt;
  sigaction(SIGUSR1, &action, &before);
  const ClockReading machine = ReadMachineClocks();
  const int64_t apart_ns = ToNs(machine.wall.time_since_epoch()) - ToNs(machine.mono);
  std::atomic<bool> done = false;
  int64_t torn = 0;
  std::thread reader([&] {
    while (!done) {
      uint64_t version = 0;
      const ClockSlot slot = doublehold_clock_load(shared_, &version);
      // The machine's own clocks drift apart by far less than half an hour meanwhile.
      const int64_t ahead_ns = slot.base_wall_ns - slot.base_mono_ns - apart_ns;
      if ((ahead_ns + ToNs(1800s)) / ToNs(3600s) * kRateOne != slot.rate_q32) ++torn;
    }
  });
  for (int i = 0; i < 5000; ++i) {
    pthread_kill(reader.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  done = true;
  reader.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace doublehold
