#include "checker/rates/share.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace doublehold {

Rate ShareOf(const std::vector<TrialShare>& trials) {
  TrialShare all;
  int64_t count = 0;  // of the trials with events
  for (const TrialShare& trial : trials) {
    all.count += trial.count;
    all.of += trial.of;
    count += trial.of > 0 ? 1 : 0;
  }
  if (all.of <= 0) return {};
  const auto events = static_cast<double>(all.of);
  const double share = static_cast<double>(all.count) / events;
  if (count < 2) return {.rate = share};
  if (all.count == 0) return {.high = ClopperPearsonOf(0, count).high};
  if (all.count == all.of) return {.rate = 1, .low = ClopperPearsonOf(count, count).low};
  double squares = 0;
  for (const TrialShare& trial : trials) {
    const double off = static_cast<double>(trial.count) - share * static_cast<double>(trial.of);
    squares += off * off;
  }
  const auto n = static_cast<double>(count);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), (1 + kConfidence) / 2);
  const double half = t * std::sqrt(squares * n / (n - 1)) / events;
  const Interval independent = WilsonOf(all.count, all.of);
  return {.rate = share,
          .low = std::clamp(share - half, 0.0, independent.low),
          .high = std::clamp(share + half, independent.high, 1.0)};
}

}  // namespace doublehold
