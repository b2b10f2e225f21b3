#include "checker/verdict/percentiles.h"

#include <algorithm>
#include <cmath>
#include <concepts>

namespace doublehold {
namespace {

// With fewer values, the percentile would be their maximum.
constexpr int64_t kFewestForP999 = 1'000;
constexpr int64_t kFewestForP9999 = 10'000;

// `at` returns the value at a share of all values. Requires at least one value.
template <std::invocable<double> At>
Percentiles Collect(const Histogram& histogram, int64_t max_ns, const At& at) {
  const int64_t count = histogram.count();
  return {.count = count,
          .p50_ns = at(0.50),
          .p95_ns = at(0.95),
          .p99_ns = at(0.99),
          .p999_ns = count < kFewestForP999 ? 0 : at(0.999),
          .p9999_ns = count < kFewestForP9999 ? 0 : at(0.9999),
          .max_ns = max_ns,
          .histogram = histogram.Classes()};
}

}  // namespace

Percentiles PercentilesOf(std::vector<int64_t> values_ns) {
  if (values_ns.empty()) return {};
  std::ranges::sort(values_ns);
  Histogram histogram(kTimeClasses);
  for (const int64_t value_ns : values_ns) histogram.Add(std::max<int64_t>(value_ns, 0));
  return Collect(histogram, values_ns.back(), [&values_ns](double share) {
    const double rank = std::ceil(share * static_cast<double>(values_ns.size()));
    return values_ns[static_cast<size_t>(std::max(rank, 1.0)) - 1];
  });
}

Percentiles PoolPercentiles(std::span<const Percentiles> parts) {
  if (parts.size() == 1) return parts.front();
  Histogram histogram(kTimeClasses);
  int64_t max_ns = 0;
  for (const Percentiles& part : parts) {
    for (const HistogramClass& each : part.histogram) histogram.Add(each.from, each.count);
    max_ns = std::max(max_ns, part.max_ns);
  }
  if (histogram.count() == 0) return {};
  return Collect(histogram, max_ns,
                 [&](double share) { return std::min(histogram.ValueAt(share), max_ns); });
}

}  // namespace doublehold
