#include "checker/rates/rate.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace doublehold {

Interval WilsonOf(int64_t count, int64_t of, double confidence) {
  if (of <= 0) return {};
  const auto n = static_cast<double>(of);
  const double z = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
  const double p = std::clamp(static_cast<double>(count) / n, 0.0, 1.0);
  const double scale = 1 + z * z / n;
  const double centre = (p + z * z / (2 * n)) / scale;
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / scale;
  return {.low = p == 0 ? 0 : std::max(0.0, centre - half),
          .high = p == 1 ? 1 : std::min(1.0, centre + half)};
}

Interval ClopperPearsonOf(int64_t count, int64_t of, double confidence) {
  if (of <= 0) return {};
  using Binomial = boost::math::binomial_distribution<>;
  const auto n = static_cast<double>(of);
  const auto k = static_cast<double>(std::clamp<int64_t>(count, 0, of));
  const double beyond = (1 - confidence) / 2;  // the probability beyond each end
  return {.low = k == 0 ? 0 : Binomial::find_lower_bound_on_p(n, k, beyond),
          .high = k == n ? 1 : Binomial::find_upper_bound_on_p(n, k, beyond)};
}

Rate RateOf(int64_t count, int64_t opportunities) {
  if (opportunities <= 0) return {};
  const auto n = static_cast<double>(opportunities);
  if (count <= 0) return {.rate = 0, .low = 0, .high = std::min(1.0, 3 / n)};
  const Interval interval = WilsonOf(count, opportunities);
  return {.rate = std::min(1.0, static_cast<double>(count) / n),
          .low = interval.low,
          .high = interval.high};
}

}  // namespace doublehold
