// How often something went wrong, and how sure that is.
#ifndef DOUBLEHOLD_CHECKER_RATE_H_
#define DOUBLEHOLD_CHECKER_RATE_H_

#include <cstdint>

namespace doublehold {

struct Rate {
  double rate = 0;
  double low = 0;  // the 95 % interval
  double high = 1;
};

// Wilson's score interval; for none seen the rule of three: at most 3 in n. `count` above
// `opportunities` counts as all of them; of no opportunities nothing is known.
Rate RateOf(int64_t count, int64_t opportunities);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATE_H_
