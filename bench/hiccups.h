// Detects intervals in which the machine did not run one of the cores. A measurement in such an
// interval says nothing about the program.
#ifndef DOUBLEHOLD_BENCH_HICCUPS_H_
#define DOUBLEHOLD_BENCH_HICCUPS_H_

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

// Runs a thread on each of the two cores. Each thread sleeps for half a millisecond at a time, and
// notes how late it wakes. Start Hiccups after the last fork. Thread rule: any thread may call
// `During`.
class Hiccups {
 public:
  explicit Hiccups(Duration least);  // ignores shorter hiccups
  ~Hiccups();
  Hiccups(const Hiccups&) = delete;
  Hiccups& operator=(const Hiccups&) = delete;

  // Whether a hiccup overlaps the interval, which must lie in the past.
  [[nodiscard]] bool During(MonoTime from, MonoTime to) const;

 private:
  void Watch();

  const Duration least_;
  std::atomic<bool> over_ = false;
  mutable std::mutex mutex_;
  std::vector<std::pair<MonoTime, MonoTime>> seen_;
  std::thread one_core_, other_core_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_BENCH_HICCUPS_H_
