#include "faults/clock_faults.h"

#include <cstdlib>
#include <utility>

namespace doublehold {

Healer StartOnClocks(Cluster& cluster, std::vector<ProcessRef> processes, Duration offset,
                     double rate, int64_t asked_ns) {
  for (const ProcessRef& process : processes) cluster.Skew(process, offset, rate);
  return Healer([&cluster, processes = std::move(processes), asked_ns] {
    int64_t furthest_ns = asked_ns;
    for (const ProcessRef& process : processes) {
      const int64_t observed_ns = ToNs(cluster.ObservedSkew(process));
      if (std::abs(observed_ns - asked_ns) >= std::abs(furthest_ns - asked_ns)) {
        furthest_ns = observed_ns;
      }
      cluster.Skew(process, Duration{}, 1.0);
    }
    return furthest_ns;
  });
}

}  // namespace doublehold
