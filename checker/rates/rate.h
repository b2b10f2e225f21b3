// How often something went wrong, and how sure that is.
#ifndef DOUBLEHOLD_CHECKER_RATES_RATE_H_
#define DOUBLEHOLD_CHECKER_RATES_RATE_H_

#include <cstdint>

namespace doublehold {

constexpr double kConfidence = 0.95;

// Both functions below: `count` above `of` counts as all of them; of nothing, 0 to 1.
struct Interval {
  double low = 0;
  double high = 1;
};

// Wilson's score interval: the right size on average, and shorter than the exact one.
Interval WilsonOf(int64_t count, int64_t of, double confidence = kConfidence);

// The exact interval: it covers the true rate at least so often, whatever that is.
Interval ClopperPearsonOf(int64_t count, int64_t of, double confidence = kConfidence);

struct Rate {
  double rate = 0;
  double low = 0;  // the 95 % interval
  double high = 1;
};

// Wilson's score interval; for none seen the rule of three: at most 3 in n. `count` above
// `opportunities` counts as all of them; of no opportunities nothing is known.
Rate RateOf(int64_t count, int64_t opportunities);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_RATE_H_
