// snapshot: nodes write their memory to disk (SAVE). It harms nobody; a later `restart` with data =
// "rdb" comes back with what was there at this moment.
#include "faults/kinds/redis/operator_commands.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

Healer StartSnapshot(Cluster& cluster, const Strike& strike, Prng&) {
  return StartErrands(cluster, strike, [&cluster](int node, const ErrandDone& done) {
    cluster.Operate(node, {"SAVE"}, [done](const CallResult& saved) { done(saved.has_value()); });
  });
}

}  // namespace

FaultEntry SnapshotFault() {
  return {.name = "snapshot",
          .summary = "makes nodes write a snapshot (SAVE), for a restart with data rdb",
          .traits = {FaultTrait::kBusies, FaultTrait::kSaves},
          .keys = {"nodes"},
          .validate = ValidateErrand,
          .start = StartSnapshot,
          .asked_ns = AskedOfErrand,
          .ends_itself = true,
          .what = [](const FaultPlan& plan) { return "snapshot taken of " + NameNodes(plan); }};
}

}  // namespace doublehold
