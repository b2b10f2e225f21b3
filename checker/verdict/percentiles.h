// Percentiles of a series of times.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_PERCENTILES_H_
#define DOUBLEHOLD_CHECKER_VERDICT_PERCENTILES_H_

#include <cstdint>
#include <vector>

namespace doublehold {

// p50, p95, p99 and the maximum, in ns. A count of 0 means that nothing was measured.
struct Percentiles {
  int64_t count = 0, p50_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
};

// Computes percentiles by nearest rank, so that each is one of the values.
Percentiles PercentilesOf(std::vector<int64_t> values_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_PERCENTILES_H_
