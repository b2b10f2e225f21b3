// What the faults on clocks share.
#ifndef DOUBLEHOLD_FAULTS_KINDS_CLOCK_FAULTS_H_
#define DOUBLEHOLD_FAULTS_KINDS_CLOCK_FAULTS_H_

#include <cstdint>
#include <vector>

#include "faults/fault.h"

namespace doublehold {

// Moves the clocks. The healer observes them, restores them, and answers the skew that is furthest
// from `asked_ns`; 0 when one of them was not moved at all.
Healer StartOnClocks(Cluster& cluster, const std::vector<ProcessRef>& processes,
                     const ClockSkew& skew, int64_t asked_ns);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KINDS_CLOCK_FAULTS_H_
