// Tries each kind of fault alone in a small run on real servers. Measures whether the fault acts on
// this machine, and as strongly as planned.
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
  std::string what;         // description of the fault
  bool acted = false;       // whether the fault acted as often as planned
  int64_t asked_ns = 0;     // planned strength, or 0 if it cannot be measured
  int64_t measured_ns = 0;  // measured strength, or 0 if it was not measured
};

// Returns a plan with only this fault, two clients and one node, for some leases. Common settings
// get fixed values; FaultEntry::trial overrides them.
Result<Plan> PlanTrial(const FaultEntry& fault);

// Runs the plan of PlanTrial in a temporary folder. Returns an error if the run failed.
Result<FaultTrial> TryFault(const FaultEntry& fault, const ServerProgram& server);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLI_FAULT_SELF_TEST_H_
