// Percentiles of a series of times.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_PERCENTILES_H_
#define DOUBLEHOLD_CHECKER_VERDICT_PERCENTILES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/verdict/histogram.h"

namespace doublehold {

// Number of classes for each power of two. From 32 on, the width of a class is at most 1/32
// of its least value. Each smaller value has a class of its own.
constexpr size_t kTimeClasses = 32;

// Percentiles in ns. A count of 0 means that nothing was measured. p99.9 needs 1,000 values, and
// p99.99 needs 10,000; with fewer values, they are 0.
struct Percentiles {
  int64_t count = 0, p50_ns = 0, p95_ns = 0, p99_ns = 0, p999_ns = 0, p9999_ns = 0, max_ns = 0;
  std::vector<HistogramClass> histogram{};
};

// Computes percentiles by nearest rank, so that each is one of the values.
Percentiles PercentilesOf(std::vector<int64_t> values_ns);
// Computes the percentiles of the values of all parts together. With more than one part, uses
// their histograms, so each percentile is too large by at most 1/32.
Percentiles PoolPercentiles(std::span<const Percentiles> parts);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_PERCENTILES_H_
