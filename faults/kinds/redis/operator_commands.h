// Faults that send operator commands to nodes: a few commands to each node, without a duration.
#ifndef DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_
#define DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_

#include <functional>
#include <string>
#include <string_view>

#include "faults/fault.h"

namespace doublehold {

// A callback to call once, with whether the commands changed anything on the node.
using CommandsDone = std::function<void(bool changed)>;

// Calls `send_commands` for each node of the start; the nodes execute their commands concurrently.
// The fault ends when every node has called `done`. The healer returns how long that took in ns, at
// least 1. It returns 0 if no node was changed, or if a node has not called `done`.
Healer StartOnNodes(Cluster& cluster, const FaultStart& start,
                    const std::function<void(int node, CommandsDone done)>& send_commands);

// Requires nodes. Refuses `for`, since such a fault has no length.
Result<void> ValidateOperatorFault(const FaultPlan& plan);
int64_t NoAskedLength(const FaultPlan& plan);  // 0, since such a fault has no length

// Returns the number in a line such as "used_memory:1024" of INFO's reply. Returns 0 if the line is
// missing.
int64_t NumberInInfo(const CallResult& info, std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_
