// The offset of a wall clock in a simulated world.
#ifndef DOUBLEHOLD_LIB_SIM_SKEWED_CLOCK_H_
#define DOUBLEHOLD_LIB_SIM_SKEWED_CLOCK_H_

#include <optional>

#include "lib/base/fault_forms.h"
#include "lib/base/time.h"
#include "lib/sim/state/state_digest.h"

namespace doublehold::sim {

class SkewedClock {
 public:
  void Jump(Duration by) { ahead_ += by; }
  void RunFast(MonoTime from) {
    if (!fast_from_) fast_from_ = from;
  }
  [[nodiscard]] Duration AheadAt(MonoTime now) const {
    return fast_from_ ? ahead_ + (now - *fast_from_) * (kFastRate - 1) : ahead_;
  }
  [[nodiscard]] bool is_fast() const { return fast_from_.has_value(); }
  void MixState(StateDigest& digest) const {
    digest.Mix(ahead_);
    digest.Mix(fast_from_.value_or(MonoTime::max()));
  }

 private:
  Duration ahead_{};
  std::optional<MonoTime> fast_from_{};
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_SKEWED_CLOCK_H_
