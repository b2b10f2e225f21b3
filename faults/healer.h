// The guard of a started fault. It heals the fault and returns the fault's measurement.
#ifndef DOUBLEHOLD_FAULTS_HEALER_H_
#define DOUBLEHOLD_FAULTS_HEALER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "lib/base/time.h"

namespace doublehold {

// The measurement of a fault that found nothing to act on, and the minimum for a fault that acted.
constexpr int64_t kDidNotAct = 0;
constexpr int64_t kActed = 1;
inline int64_t AtLeastActed(Duration measured) { return std::max(kActed, ToNs(measured)); }

// Heals a started fault, in its destructor at the latest. Move-only; belongs to the supervisor's
// thread. The function returns the measurement in ns: how long frames were delayed or a process was
// stopped, or how far a clock was moved. It returns kDidNotAct if the fault found nothing to act
// on.
class Healer {
 public:
  Healer() = default;
  explicit Healer(std::function<int64_t()> heal) : heal_(std::move(heal)) {}
  Healer(Healer&& other) noexcept : heal_(std::exchange(other.heal_, nullptr)) {}
  Healer& operator=(Healer&& other) noexcept {
    if (this != &other) {
      Heal();
      heal_ = std::exchange(other.heal_, nullptr);
    }
    return *this;
  }
  ~Healer() { Heal(); }

  // Heals now and returns the measurement. Later calls do nothing and return kDidNotAct.
  int64_t Heal() { return heal_ ? std::exchange(heal_, nullptr)() : kDidNotAct; }

 private:
  std::function<int64_t()> heal_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_HEALER_H_
