// What an operator does to nodes by hand: a few commands to each, and it is over.
#ifndef DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_
#define DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_

#include <functional>
#include <string>
#include <string_view>

#include "faults/fault.h"

namespace doublehold {

// To be called once: did it change anything on that node?
using ErrandDone = std::function<void(bool changed)>;

// Does `errand` on each node of the strike, side by side. The fault ends when all are done. Its
// healer answers how long that took, at least 1; 0 when no node was changed, or not all were done.
Healer StartErrands(Cluster& cluster, const Strike& strike,
                    const std::function<void(int node, ErrandDone done)>& errand);

// Nodes to act on; no 'for', which would have no meaning.
Result<void> ValidateErrand(const FaultPlan& plan);
int64_t AskedOfErrand(const FaultPlan& plan);  // nothing: it is over when it is over

// "used_memory:1024" in what INFO answers; 0 when it is not there.
int64_t NumberInInfo(const CallResult& info, std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_KINDS_REDIS_OPERATOR_COMMANDS_H_
