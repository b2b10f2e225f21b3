// Shared by the faults on clocks.
#ifndef DOUBLEHOLD_FAULTS_KINDS_CLOCK_FAULTS_H_
#define DOUBLEHOLD_FAULTS_KINDS_CLOCK_FAULTS_H_

#include <cstdint>
#include <vector>

#include "faults/fault.h"

namespace doublehold {

// Moves the clocks. The healer observes and restores them, and returns the skew that is furthest
// from `asked_ns`, in ns. It returns 0 if any of the processes certainly did not read its moved
// clock.
Healer StartOnClocks(Cluster& cluster, const std::vector<ProcessRef>& processes,
                     const ClockSkew& skew, int64_t asked_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KINDS_CLOCK_FAULTS_H_
