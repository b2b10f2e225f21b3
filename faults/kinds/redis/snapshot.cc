// snapshot: nodes save their data to disk (SAVE). A snapshot does no harm by itself. A later
// `restart` with data = "rdb" starts the node with this data.
#include "faults/kinds/redis/operator_commands.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

Healer StartSnapshot(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnNodes(cluster, start, [&cluster](int node, const CommandsDone& done) {
    cluster.Operate(node, {"SAVE"}, [done](const CallResult& saved) { done(saved.has_value()); });
  });
}

}  // namespace

FaultEntry SnapshotFault() {
  return {.name = "snapshot",
          .summary = "makes nodes write a snapshot (SAVE), for a restart with data rdb",
          .traits = {FaultTrait::kBusies, FaultTrait::kSaves},
          .keys = {"nodes"},
          .service = "redis",
          .validate = ValidateOperatorFault,
          .start = StartSnapshot,
          .asked_ns = NoAskedLength,
          .ends_itself = true,
          .what = [](const FaultPlan& plan) { return "snapshot taken of " + NameNodes(plan); }};
}

}  // namespace doublehold
