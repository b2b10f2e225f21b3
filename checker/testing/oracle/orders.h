// For tests: whether steps can have happened in some order, found out by trying all of them. Knows
// nothing of locks.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "lib/base/check.h"

namespace doublehold::brute {

constexpr int64_t kEver = int64_t{1} << 60;

// Takes effect once, at some instant from `from` to `to`.
struct Step {
  int64_t from = 0;
  int64_t to = kEver;
  bool perhaps = false;  // or never
  int after = -1;        // only when that step has, or never will
};

// Every state in which a step leaves a state: none, it cannot be next; several, nobody knows which.
template <typename State>
using Effects = std::function<std::vector<State>(const State&, size_t step)>;

template <typename State>
class Orders {
 public:
  Orders(const std::vector<Step>& steps, const Effects<State>& effects)
      : steps_(steps), effects_(effects) {
    CHECK(steps.size() < 32);
  }

  bool From(const State& state, uint32_t done = 0) {
    if (!seen_.insert({done, state}).second) return false;
    bool all = true;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if ((done >> i & 1U) != 0) continue;
      all = all && steps_[i].perhaps;
      if (!MayBeNext(done, i)) continue;
      for (const State& next : effects_(state, i)) {
        if (From(next, done | 1U << i)) return true;
      }
    }
    return all;
  }

 private:
  // Nothing that is still to come was over before it began. Equal times say nothing.
  [[nodiscard]] bool MayBeNext(uint32_t done, size_t next) const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (i == next || (done >> i & 1U) != 0) continue;
      if (!steps_[i].perhaps && steps_[i].to < steps_[next].from) return false;
      if (!steps_[i].perhaps && steps_[next].after == static_cast<int>(i)) return false;
    }
    return true;
  }

  const std::vector<Step>& steps_;
  const Effects<State>& effects_;
  std::set<std::pair<uint32_t, State>> seen_;
};

template <typename State>
bool SomeOrder(const std::vector<Step>& steps, const State& start, const Effects<State>& effects) {
  return Orders<State>(steps, effects).From(start);
}

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_
