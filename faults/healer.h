// The guard of a started fault, and what it says of the fault in the end.
#ifndef DOUBLEHOLD_FAULTS_HEALER_H_
#define DOUBLEHOLD_FAULTS_HEALER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "lib/base/time.h"

namespace doublehold {

// What is measured of a fault that met nothing to act on; and at least, of one that did.
constexpr int64_t kDidNotAct = 0;
constexpr int64_t kActed = 1;
inline int64_t AtLeastActed(Duration measured) { return std::max(kActed, ToNs(measured)); }

// Heals a started fault, at the latest when it goes. Move-only; used on the supervisor's thread.
// The function answers what was measured, in ns: how long frames were delayed or a process stopped,
// or how far a clock was moved; kDidNotAct: nothing was.
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

  // Heals now; later calls do nothing. Answers what was measured, kDidNotAct when it was healed
  // before.
  int64_t Heal() { return heal_ ? std::exchange(heal_, nullptr)() : kDidNotAct; }

 private:
  std::function<int64_t()> heal_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_HEALER_H_
