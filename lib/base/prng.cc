#include "lib/base/prng.h"

#include <algorithm>
#include <cmath>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace

Prng::Prng(uint64_t seed, std::string_view name, uint64_t index) : state_(Mix(seed + kGolden)) {
  for (const char c : name) state_ = Mix(state_ ^ static_cast<unsigned char>(c)) + kGolden;
  state_ = Mix(state_ ^ index) + kGolden;
}

uint64_t Prng::Next() { return Mix(state_ += kGolden); }

uint64_t Prng::Below(uint64_t bound) {
  CHECK(bound > 0);
  // Rejects the end of the range, which would make small results more likely.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t drawn = Next();
  while (drawn >= limit) drawn = Next();
  return drawn % bound;
}

double Prng::Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

Duration Prng::Between(Duration low, Duration high) {
  CHECK(low <= high);
  return low +
         Duration(static_cast<int64_t>(Below(static_cast<uint64_t>((high - low).count()) + 1)));
}

Duration Prng::Exponential(Duration mean) {
  const double factor = std::min(-std::log1p(-Unit()), 20.0);
  return Duration(std::llround(factor * static_cast<double>(mean.count())));
}

}  // namespace doublehold
