// Computes numbered parts in several threads, and hands over their results in the order of the
// parts.
#ifndef DOUBLEHOLD_COMPOSE_EXPLORE_IN_ORDER_H_
#define DOUBLEHOLD_COMPOSE_EXPLORE_IN_ORDER_H_

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/check.h"

namespace doublehold {

// One thread constructs it, takes the results and destroys it.
template <typename T>
class InOrder {
 public:
  static constexpr size_t kAhead = 16;

  // Calls `compute(part, thread)` for the parts from 0 to `parts` - 1, in threads with the numbers
  // from 0 to `threads` - 1. They begin no part that is `kAhead` parts a thread after the next.
  InOrder(size_t parts, size_t threads, std::function<T(size_t part, size_t thread)> compute)
      : parts_(parts), compute_(std::move(compute)), results_(kAhead * threads) {
    CHECK(threads > 0);
    for (size_t thread = 0; thread < std::min(threads, parts); ++thread)
      threads_.emplace_back([this, thread] { Work(thread); });
  }
  // Waits for the parts that have begun, and begins no other.
  ~InOrder() {
    {
      const std::lock_guard lock(mutex_);
      parts_ = 0;
    }
    changed_.notify_all();
  }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

  // Waits for the result of the next part. Requires that there is one.
  T Next() {
    std::unique_lock lock(mutex_);
    CHECK(taken_ < parts_);
    std::optional<T>& result = results_[taken_ % results_.size()];
    changed_.wait(lock, [&] { return result.has_value(); });
    T next = *std::exchange(result, std::nullopt);
    ++taken_;
    changed_.notify_all();
    return next;
  }

 private:
  void Work(size_t thread) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return begun_ >= parts_ || begun_ < taken_ + results_.size(); });
      if (begun_ >= parts_) return;
      const size_t part = begun_++;
      lock.unlock();
      T result = compute_(part, thread);
      lock.lock();
      results_[part % results_.size()] = std::move(result);
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t parts_;
  size_t begun_ = 0, taken_ = 0;
  const std::function<T(size_t part, size_t thread)> compute_;
  std::vector<std::optional<T>> results_;  // of the parts from taken_ on, in a ring
  std::vector<std::jthread> threads_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_EXPLORE_IN_ORDER_H_
