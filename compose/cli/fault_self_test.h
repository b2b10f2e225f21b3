// Each kind of fault tried alone on a small real set-up: does it act here, and as far as it was
// asked to?
#ifndef DOUBLEHOLD_COMPOSE_CLI_FAULT_SELF_TEST_H_
#define DOUBLEHOLD_COMPOSE_CLI_FAULT_SELF_TEST_H_

#include <cstdint>
#include <string>

#include "compose/cluster/redis/server.h"
#include "faults/fault.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

struct FaultTrial {
  std::string what;         // of the fault that was injected, in words
  bool acted = false;       // as often as it was planned
  int64_t asked_ns = 0;     // 0: nothing that could be measured
  int64_t measured_ns = 0;  // 0: nothing was
};

// The run in which it is alone: two clients and a node, some leases long. What the kind needs comes
// from its keys, and over that from FaultEntry::trial.
Result<Plan> PlanTrial(const FaultEntry& fault);

// Runs it, in a folder that goes away. An error when it could not be run at all.
Result<FaultTrial> TryFault(const FaultEntry& fault, const ServerProgram& server);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLI_FAULT_SELF_TEST_H_
