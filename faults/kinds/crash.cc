// crash: kills a client or nodes (SIGKILL). A client is not started again; a later `restart` starts
// a node again. The holds of a killed client end at its death. A killed node can neither confirm
// nor revoke its grants.
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

// A crash ends at once, because it cannot be healed.
Healer StartCrash(Cluster& cluster, const FaultStart& start, Prng&) {
  const bool acted = !AliveOf(cluster, start).empty();
  // Kills dead nodes too, so that a node that is about to restart stays dead.
  for (const ProcessRef& victim : ProcessesOf(start)) cluster.Kill(victim);
  if (start.on_limit_reached) start.on_limit_reached();
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
