// When the machine kept either core from running: what is late then says nothing about the program
// that was to run.
#ifndef DOUBLEHOLD_BENCH_HICCUPS_H_
#define DOUBLEHOLD_BENCH_HICCUPS_H_

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

// A thread on each of the two places that sleeps for half a millisecond and notes how late it
// wakes. Start it when nothing is forked any more. Thread rule: `During` may be called from any.
class Hiccups {
 public:
  explicit Hiccups(Duration least);  // shorter ones do not count
  ~Hiccups();
  Hiccups(const Hiccups&) = delete;
  Hiccups& operator=(const Hiccups&) = delete;

  // Whether one touched that stretch, which is over.
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
