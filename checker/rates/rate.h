// Rates of violations, and their confidence intervals.
#ifndef DOUBLEHOLD_CHECKER_RATES_RATE_H_
#define DOUBLEHOLD_CHECKER_RATES_RATE_H_

#include <cstdint>

namespace doublehold {

constexpr double kConfidence = 0.95;

// For both functions below: a `count` above `of` counts as `of`; for `of` = 0 the interval is 0 to
// 1.
struct Interval {
  double low = 0;
  double high = 1;
};

// Wilson's score interval: covers the true rate in 95 % of cases on average; shorter than the exact
// one.
Interval WilsonOf(int64_t count, int64_t of, double confidence = kConfidence);

// The exact interval: covers any true rate at least that often.
Interval ClopperPearsonOf(int64_t count, int64_t of, double confidence = kConfidence);

struct Rate {
  double rate = 0;
  double low = 0;  // the 95 % interval
  double high = 1;
};

// Wilson's score interval; for a count of 0 the rule of three: at most 3 in n. A `count` above
// `opportunities` counts as `opportunities`; without opportunities nothing is known.
Rate RateOf(int64_t count, int64_t opportunities);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_RATE_H_
