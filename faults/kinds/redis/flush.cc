// flush: an operator empties nodes (FLUSHALL). Locks that are held there are free; scripts stay.
#include "faults/kinds/redis/operator_commands.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

// In one step: how many keys there were, and none is left.
constexpr const char* kFlush = "local n = redis.call('dbsize') redis.call('flushall') return n";

Healer StartFlush(Cluster& cluster, const Strike& strike, Prng&) {
  return StartErrands(cluster, strike, [&cluster](int node, const ErrandDone& done) {
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
          .validate = ValidateErrand,
          .start = StartFlush,
          .asked_ns = AskedOfErrand,
          .ends_itself = true,
          .trial = {{"fault.0.on", "client 1 after-acquire"}},
          .what = [](const FaultPlan& plan) { return NameNodes(plan) + " emptied"; }};
}

}  // namespace doublehold
