#include "compose/explore/in_order.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace doublehold {
namespace {

struct Sizes {
  size_t parts, threads;
};

const Sizes kSizes[] = {{0, 1}, {0, 3}, {1, 1}, {1, 3}, {5, 2}, {500, 1}, {500, 2}, {500, 7}};

// Takes longer for some parts than for others.
size_t Square(size_t part) {
  if (part % 3 == 0) std::this_thread::yield();
  return part * part;
}

TEST(InOrder, HandsOverTheResultsInTheOrderOfTheParts) {
  for (const auto& [parts, threads] : kSizes) {
    InOrder<size_t> squares(parts, threads, [](size_t part, size_t) { return Square(part); });
    for (size_t part = 0; part < parts; ++part)
      ASSERT_EQ(squares.Next(), part * part) << parts << " parts, " << threads << " threads";
  }
}

TEST(InOrder, RunsOnePartAtATimeInEachThread) {
  std::vector<std::atomic<int>> running(4);
  std::atomic<int> together = 0;
  InOrder<int> results(500, running.size(), [&](size_t part, size_t thread) {
    if (running[thread]++ > 0) ++together;
    Square(part);
    --running[thread];
    return 0;
  });
  for (int part = 0; part < 500; ++part) results.Next();
  EXPECT_EQ(together, 0);
}

TEST(InOrder, BeginsNoPartThatIsFarAheadAndNoneAfterItsEnd) {
  for (const size_t threads : {1, 2, 7}) {
    std::atomic<size_t> last = 0;
    {
      InOrder<int> results(100'000, threads, [&](size_t part, size_t) {
        for (size_t before = last; before < part && !last.compare_exchange_weak(before, part);) {
        }
        return 0;
      });
      for (int part = 0; part < 100; ++part) results.Next();
    }
    EXPECT_LT(last, 100 + InOrder<int>::kAhead * threads);
  }
}

}  // namespace
}  // namespace doublehold
