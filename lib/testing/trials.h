#ifndef DOUBLEHOLD_LIB_TESTING_TRIALS_H_
#define DOUBLEHOLD_LIB_TESTING_TRIALS_H_

#include <cstdint>
#include <cstdlib>

namespace doublehold {

// The number of random trials that a test runs: `all` in `make test-all`, which sets DOUBLEHOLD_ALL_TRIALS,
// and a tenth of them elsewhere. The trials that both run have the same seeds.
inline int64_t NumTrials(int64_t all) {
  constexpr int64_t kShare = 10;
  return std::getenv("DOUBLEHOLD_ALL_TRIALS") != nullptr ? all : all / kShare;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_TESTING_TRIALS_H_
