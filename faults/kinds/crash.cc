// crash: kills a client or nodes (SIGKILL), with everything in the process. It does not come back:
// what a client held it holds no more; what a node granted it can neither confirm nor take back. A
// later `restart` brings a node back.
#include "faults/fault.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

Result<void> ValidateCrash(const FaultPlan& plan) {
  if (!plan.client && !plan.on && plan.nodes.empty()) {
    return BadFault(plan, "needs 'client', 'nodes' or 'on'");
  }
  if (plan.client && plan.times > 1)
    return BadFault(plan, "a client dies only once: remove 'times'", "times");
  if (!plan.nodes.empty() && plan.times > 1)
    return BadFault(plan, "a node dies only once: remove 'times'", "times");
  if (plan.length != Duration::zero())
    return BadFault(plan,
                    "has no duration: remove 'for' (use kind 'restart' for a node that comes back)",
                    "for");
  return {};
}

// What cannot be healed is over at once.
Healer StartCrash(Cluster& cluster, const Strike& strike, Prng&) {
  const bool acted = !AliveOf(cluster, strike).empty();
  // The others too: a node on its way back stays dead.
  for (const ProcessRef& victim : ProcessesOf(strike)) cluster.Kill(victim);
  if (strike.on_spent) strike.on_spent();
  return Healer([acted] { return acted ? kActed : kDidNotAct; });
}

}  // namespace

FaultEntry CrashFault() {
  return {.name = "crash",
          .summary = "kills a client, or nodes permanently (SIGKILL)",
          .traits = {FaultTrait::kKills},
          .keys = {"client", "nodes"},
          .validate = ValidateCrash,
          .start = StartCrash,
          .asked_ns = [](const FaultPlan&) { return int64_t{0}; },
          .is_final = true,
          .what = [](const FaultPlan& plan) { return NameProcesses(plan) + " killed"; }};
}

}  // namespace doublehold
