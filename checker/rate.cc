#include "checker/rate.h"

#include <algorithm>
#include <cmath>

namespace doublehold {

Rate RateOf(int64_t count, int64_t opportunities) {
  if (opportunities <= 0) return {};
  const auto n = static_cast<double>(opportunities);
  if (count <= 0) return {.rate = 0, .low = 0, .high = std::min(1.0, 3 / n)};
  constexpr double z = 1.959963984540054;  // 97.5 % of a normal distribution lie below
  const double p = std::min(1.0, static_cast<double>(count) / n);
  const double scale = 1 + z * z / n;
  const double centre = (p + z * z / (2 * n)) / scale;
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale;
  return {.rate = p, .low = std::max(0.0, centre - half), .high = std::min(1.0, centre + half)};
}

}  // namespace doublehold
