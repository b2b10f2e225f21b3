// Random numbers from named streams of the run's seed. Equal seeds and names give equal numbers on
// every machine. Standard-library distributions are not used, because they differ between
// libraries.
#ifndef DOUBLEHOLD_LIB_BASE_PRNG_H_
#define DOUBLEHOLD_LIB_BASE_PRNG_H_

#include <cstdint>
#include <string_view>

#include "lib/base/time.h"

namespace doublehold {

// SplitMix64 (Steele, Lea, Flood, 2014). Not thread-safe; a value, cheap to copy.
class Prng {
 public:
  // The stream `name` of `seed`. `index` distinguishes streams of the same name.
  Prng(uint64_t seed, std::string_view name, uint64_t index = 0);

  uint64_t Next();
  uint64_t Below(uint64_t bound);                 // uniform in [0, bound); bound > 0
  double Unit();                                  // uniform in [0, 1)
  Duration Between(Duration low, Duration high);  // uniform in [low, high]; low <= high
  Duration Exponential(Duration mean);            // cut off at 20 means

 private:
  uint64_t state_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_PRNG_H_
