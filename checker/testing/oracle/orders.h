// For tests: whether steps can have happened in some order, found out by trying all of them. Knows
// nothing of locks.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_

#include <cstddef>
#include <cstdint>
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

// `Effects`: (state, index of a step) to every state that the step can lead to; none, it cannot be
// the next one.
template <typename State, typename Effects>
class Orders {
 public:
  Orders(const std::vector<Step>& steps, const Effects& effects)
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
  // No step that is still to come ended before this one began. Equal times have no order.
  [[nodiscard]] bool MayBeNext(uint32_t done, size_t next) const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (i == next || (done >> i & 1U) != 0 || steps_[i].perhaps) continue;
      if (steps_[i].to < steps_[next].from || steps_[next].after == static_cast<int>(i))
        return false;
    }
    return true;
  }

  const std::vector<Step>& steps_;
  const Effects& effects_;
  std::set<std::pair<uint32_t, State>> seen_;
};

template <typename State>
std::vector<State> OnlyIf(bool possible, const State& state) {
  return std::vector<State>(possible ? 1 : 0, state);
}

template <typename State, typename Effects>
bool SomeOrder(const std::vector<Step>& steps, const State& start, const Effects& effects) {
  return Orders<State, Effects>(steps, effects).From(start);
}

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_
