// forget-scripts: an operator empties the script caches of nodes (SCRIPT FLUSH). The next EVALSHA
// fails with NOSCRIPT, and the client must send the script's text again.
#include "faults/kinds/redis/operator_commands.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

Healer StartForgetScripts(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnNodes(cluster, start, [&cluster](int node, const CommandsDone& done) {
    cluster.Operate(node, {"INFO", "memory"}, [&cluster, node, done](const CallResult& info) {
      const bool some = NumberInInfo(info, "number_of_cached_scripts") > 0;
      cluster.Operate(node, {"SCRIPT", "FLUSH"}, [done, some](const CallResult& flushed) {
        done(flushed.has_value() && some);
      });
    });
  });
}

}  // namespace

FaultEntry ForgetScriptsFault() {
  return {.name = "forget-scripts",
          .summary = "empties the script caches of nodes (SCRIPT FLUSH), as an operator would",
          .traits = {FaultTrait::kForgetsScripts},
          .keys = {"nodes"},
          .service = "redis",
          .validate = ValidateOperatorFault,
          .start = StartForgetScripts,
          .asked_ns = NoAskedLength,
          .ends_itself = true,
          .what = [](const FaultPlan& plan) { return "scripts forgotten by " + NameNodes(plan); }};
}

}  // namespace doublehold
