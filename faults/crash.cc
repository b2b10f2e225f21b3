// crash: kills a client (SIGKILL), with everything in its process. It does not come back, and what it held it holds no more.
#include "faults/fault.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

Result<void> Validate(const FaultPlan& plan) {
  if (!plan.client && !plan.on) return BadFault(plan, "which client? 'client' or 'on' is missing");
  if (plan.client && plan.times > 1) return BadFault(plan, "a client dies once: no 'times'");
  return {};
}

// What cannot be healed is over at once.
Healer Start(Cluster& cluster, const Strike& strike, Prng&) {
  cluster.Kill({ProcessRef::Kind::kClient, strike.client});
  if (strike.on_spent) strike.on_spent();
  return Healer([] { return int64_t{0}; });
}

}  // namespace

FaultEntry CrashFault() {
  return {.name = "crash",
          .summary = "kills a client (SIGKILL)",
          .keys = {"client"},
          .validate = Validate,
          .start = Start,
          .asked_ns = [](const FaultPlan&) { return int64_t{0}; },
          .is_final = true,
          .what = [](const FaultPlan& plan) { return NameClient(plan) + " killed"; }};
}

}  // namespace doublehold
