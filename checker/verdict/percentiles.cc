#include "checker/verdict/percentiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace doublehold {

Percentiles PercentilesOf(std::vector<int64_t> values_ns) {
  if (values_ns.empty()) return {};
  std::ranges::sort(values_ns);
  const auto at = [&values_ns](double share) {
    const double rank = std::ceil(share * static_cast<double>(values_ns.size()));
    return values_ns[static_cast<size_t>(std::max(rank, 1.0)) - 1];
  };
  return {.count = static_cast<int64_t>(values_ns.size()),
          .p50_ns = at(0.50),
          .p95_ns = at(0.95),
          .p99_ns = at(0.99),
          .max_ns = values_ns.back()};
}

}  // namespace doublehold
