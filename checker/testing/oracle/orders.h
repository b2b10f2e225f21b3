// For tests: decides whether steps can have taken effect in some order, by trying every order. Does
// not depend on locks.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "lib/base/check.h"

namespace doublehold::brute {

constexpr int64_t kUnbounded = int64_t{1} << 60;

// A step takes effect once, at some instant from `from` to `to`. An optional step may also never
// take effect.
struct Step {
  int64_t from = 0;
  int64_t to = kUnbounded;
  bool optional = false;
  // Index of a step that must take effect before this step, or -1 if there is none. Ignored if that
  // step is optional.
  int after = -1;
};

// `Effects` maps a state and the index of a step to every state that the step can lead to. If there
// is no such state, the step cannot be the next one.
template <typename State, typename Effects>
class OrderSearch {
 public:
  OrderSearch(const std::vector<Step>& steps, const Effects& effects)
      : steps_(steps), effects_(effects) {
    CHECK(steps.size() < 32);
  }

  // Whether the steps that are not in the bit set `done` can follow from this state.
  bool CanComplete(const State& state, uint32_t done = 0) {
    if (!seen_.insert({done, state}).second) return false;
    bool rest_is_optional = true;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if ((done >> i & 1U) != 0) continue;
      rest_is_optional = rest_is_optional && steps_[i].optional;
      if (!MayBeNext(done, i)) continue;
      for (const State& next : effects_(state, i)) {
        if (CanComplete(next, done | 1U << i)) return true;
      }
    }
    return rest_is_optional;
  }

 private:
  // Whether step `next` may take effect next. It may not if a remaining step that is not optional
  // must come first. A step must come first in these cases:
  // - The `to` of the step is before the `from` of `next`.
  // - The step is the `after` of `next`.
  [[nodiscard]] bool MayBeNext(uint32_t done, size_t next) const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (i == next || (done >> i & 1U) != 0 || steps_[i].optional) continue;
      if (steps_[i].to < steps_[next].from || steps_[next].after == static_cast<int>(i))
        return false;
    }
    return true;
  }

  const std::vector<Step>& steps_;
  const Effects& effects_;
  std::set<std::pair<uint32_t, State>> seen_;
};

// Returns `state` as the only next state if the step is possible, otherwise no state.
template <typename State>
std::vector<State> NextStateIf(bool possible, const State& state) {
  return std::vector<State>(possible ? 1 : 0, state);
}

template <typename State, typename Effects>
bool CanOrderSteps(const std::vector<Step>& steps, const State& start, const Effects& effects) {
  return OrderSearch<State, Effects>(steps, effects).CanComplete(start);
}

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_ORDERS_H_
