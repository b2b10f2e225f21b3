#include "faults/kinds/clock_faults.h"

#include <cstdlib>
#include <utility>

namespace doublehold {

Healer StartOnClocks(Cluster& cluster, const std::vector<ProcessRef>& processes,
                     const ClockSkew& skew, int64_t asked_ns) {
  std::vector<SkewId> skews;
  for (const ProcessRef& process : processes) skews.push_back(cluster.Skew(process, skew));
  return Healer([&cluster, skews = std::move(skews), asked_ns] {
    int64_t furthest_ns = asked_ns;
    bool all_moved = true;
    for (const SkewId one : skews) {
      const std::optional<Duration> observed = cluster.ObservedSkew(one);
      all_moved = all_moved && observed.has_value();
      const int64_t observed_ns = ToNs(observed.value_or(Duration{}));
      if (std::abs(observed_ns - asked_ns) >= std::abs(furthest_ns - asked_ns)) {
        furthest_ns = observed_ns;
      }
      cluster.Unskew(one);
    }
    return all_moved ? furthest_ns : kDidNotAct;
  });
}

}  // namespace doublehold
