// flush: an operator empties nodes (FLUSHALL). All locks on these nodes become free; loaded scripts
// stay.
#include "faults/kinds/redis/operator_commands.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

// Atomically counts the keys and removes them.
constexpr const char* kFlush = "local n = redis.call('dbsize') redis.call('flushall') return n";

Healer StartFlush(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnNodes(cluster, start, [&cluster](int node, const CommandsDone& done) {
    cluster.Operate(node, {"EVAL", kFlush, "0"},
                    [done](const CallResult& keys) { done(keys && keys->integer > 0); });
  });
}

}  // namespace

FaultEntry FlushFault() {
  return {.name = "flush",
          .summary = "empties nodes (FLUSHALL), as an operator would",
          .traits = {FaultTrait::kTakesKeys, FaultTrait::kBusies},
          .keys = {"nodes"},
          .service = "redis",
          .validate = ValidateOperatorFault,
          .start = StartFlush,
          .asked_ns = NoAskedLength,
          .ends_itself = true,
          .trial = {{"fault.0.on", "client 1 after-acquire"}},
          .what = [](const FaultPlan& plan) { return NameNodes(plan) + " emptied"; }};
}

}  // namespace doublehold
