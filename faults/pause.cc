// pause: stops whole processes (SIGSTOP). A watchdog inside stops too, as in a real pause; a stopped
// node keeps its connections, and its keys go on expiring.
#include "faults/targets.h"

namespace doublehold {
namespace {

Healer Start(Cluster& cluster, const Strike& strike, Prng&) {
  const std::vector<ProcessRef> victims = ProcessesOf(strike);
  for (const ProcessRef& victim : victims) cluster.Pause(victim);
  return Healer([&cluster, victims, began = cluster.Now()] {
    for (const ProcessRef& victim : victims) cluster.Resume(victim);
    return ToNs(cluster.Now() - began);
  });
}

}  // namespace

FaultEntry PauseFault() {
  return {.name = "pause",
          .summary = "stops a client or nodes (SIGSTOP): threads, watchdogs, everything",
          .keys = {"client", "nodes"},
          .validate = ValidateProcessFault,
          .start = Start,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .what = [](const FaultPlan& plan) { return NameProcesses(plan) + " stopped"; }};
}

}  // namespace doublehold
