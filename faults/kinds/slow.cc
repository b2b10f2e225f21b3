// slow: keeps a client's session at the step that it has reached, while the rest of its process
// continues. The critical section takes longer, but a watchdog keeps extending the lease, as in a
// long computation.
#include "faults/targets.h"

namespace doublehold {
namespace {

Result<void> ValidateSlow(const FaultPlan& plan) {
  if (!plan.on) return BadFault(plan, "needs the step at which a client is kept busy (on)");
  if (plan.client && *plan.client != plan.on->client) {
    return BadFault(plan, "can keep only the client that reaches its step busy: remove 'client'",
                    "client");
  }
  return {};
}

Healer StartSlow(Cluster& cluster, const FaultStart& start, Prng&) {
  // Another fault may have killed the client at this step.
  if (!cluster.IsAlive({ProcessRef::Kind::kClient, start.client})) return Healer();
  cluster.Detain(start.client);
  return Healer([&cluster, client = start.client, began = cluster.Now()] {
    cluster.LetGo(client);
    return AtLeastActed(cluster.Now() - began);
  });
}

}  // namespace

FaultEntry SlowFault() {
  return {.name = "slow",
          .summary = "makes a client's section longer, while its watchdog continues",
          .traits = {FaultTrait::kSlows},
          .keys = {"client"},
          .validate = ValidateSlow,
          .start = StartSlow,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .trial = {{"fault.0.on", "client 1 after-read"}},
          .what = [](const FaultPlan& plan) { return NameClient(plan) + " kept busy"; }};
}

}  // namespace doublehold
