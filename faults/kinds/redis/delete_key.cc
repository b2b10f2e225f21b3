// delete-key: an operator deletes a key (DEL), for example the key of a lock that seems stuck.
#include <fmt/format.h>

#include "faults/kinds/redis/operator_commands.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

Healer StartDeleteKey(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnNodes(cluster, start,
                      [&cluster, key = start.plan.key](int node, const CommandsDone& done) {
                        cluster.Operate(node, {"DEL", key}, [done](const CallResult& deleted) {
                          done(deleted && deleted->IsInteger(1));
                        });
                      });
}

}  // namespace

FaultEntry DeleteKeyFault() {
  return {.name = "delete-key",
          .summary = "deletes a key on nodes (DEL), as an operator would",
          .traits = {FaultTrait::kTakesKeys},
          .keys = {"nodes", "key"},
          .service = "redis",
          .validate = ValidateOperatorFault,
          .start = StartDeleteKey,
          .asked_ns = NoAskedLength,
          .of_one_key = true,
          .ends_itself = true,
          .trial = {{"fault.0.on", "client 1 after-acquire"}},
          .what = [](const FaultPlan& plan) {
            return fmt::format("key {} deleted on {}", plan.key, NameNodes(plan));
          }};
}

}  // namespace doublehold
