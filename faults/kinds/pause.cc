// pause: stops whole processes (SIGSTOP). A watchdog in the process stops too, as in a real pause.
// A stopped node keeps its connections, and its keys still expire. The fault does not stop
// processes that are dead at its start, or nodes that are restarted while it is active.
#include "faults/targets.h"

namespace doublehold {
namespace {

Healer StartPause(Cluster& cluster, const FaultStart& start, Prng&) {
  const std::vector<ProcessRef> victims = AliveOf(cluster, start);
  for (const ProcessRef& victim : victims) cluster.Pause(victim);
  return Healer([&cluster, victims, began = cluster.Now()] {
    for (const ProcessRef& victim : victims) cluster.Resume(victim);
    return victims.empty() ? kDidNotAct : AtLeastActed(cluster.Now() - began);
  });
}

}  // namespace

FaultEntry PauseFault() {
  return {.name = "pause",
          .summary = "stops a client or nodes (SIGSTOP), with all threads and watchdogs",
          .traits = {FaultTrait::kStops},
          .keys = {"client", "nodes"},
          .validate = ValidateProcessFault,
          .start = StartPause,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .what = [](const FaultPlan& plan) { return NameProcesses(plan) + " stopped"; }};
}

}  // namespace doublehold
