// Faults that send operator commands to nodes: a few commands to each node, without a duration.
#ifndef DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_
#define DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_

#include <functional>
#include <string>
#include <string_view>

#include "faults/fault.h"

namespace doublehold {

// Call it once, with whether the commands changed anything on the node.
using ErrandDone = std::function<void(bool changed)>;

// Runs `errand` on each node of the start concurrently. The fault ends when all are done. The
// healer returns how long that took, at least 1; 0 when no node was changed, or not all were done.
Healer StartErrands(Cluster& cluster, const FaultStart& start,
                    const std::function<void(int node, ErrandDone done)>& errand);

// Requires nodes, and refuses `for`: such a fault has no length.
Result<void> ValidateErrand(const FaultPlan& plan);
int64_t AskedOfErrand(const FaultPlan& plan);  // 0: such a fault has no length to compare with

// Returns the number of a line such as "used_memory:1024" in INFO's reply; 0 when it is missing.
int64_t NumberInInfo(const CallResult& info, std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_
