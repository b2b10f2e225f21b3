// Rates of violations, and their confidence intervals.
#ifndef DOUBLEHOLD_CHECKER_RATES_RATE_H_
#define DOUBLEHOLD_CHECKER_RATES_RATE_H_

#include <cstdint>

namespace doublehold {

constexpr double kConfidence = 0.95;

// In the functions below, a `count` above `of` counts as `of`. For `of` = 0 the interval is 0 to 1.
struct Interval {
  double low = 0;
  double high = 1;
};

// Wilson's score interval: covers the true rate with probability `confidence` on average. It is
// shorter than the exact interval.
Interval WilsonOf(int64_t count, int64_t of, double confidence = kConfidence);

// Clopper and Pearson's exact interval: covers any true rate with probability `confidence` or more.
Interval ClopperPearsonOf(int64_t count, int64_t of, double confidence = kConfidence);

struct Rate {
  double rate = 0;
  double low = 0;  // the 95 % interval
  double high = 1;
};

// Returns Wilson's score interval. For a count of 0, returns the interval 0 to 3 / n (rule of
// three). A `count` above `opportunities` counts as `opportunities`. Without opportunities the
// interval is 0 to 1.
Rate RateOf(int64_t count, int64_t opportunities);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_RATE_H_
