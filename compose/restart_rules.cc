#include "compose/restart_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "compose/node_data.h"
#include "faults/fault.h"
#include "lib/base/options.h"
#include "lib/base/words.h"
#include "lib/plan/topology.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

constexpr const char* kRestartDelay = "restart-delay";

bool RestartsNodes(const FaultPlan& fault) {
  return fault.kind == "restart" &&
         std::ranges::any_of(fault.nodes, [](int node) { return node != kStoreNode; });
}

}  // namespace

std::vector<std::string> LockKeysOf(const Plan& plan) {
  const auto workload = FindWorkload(plan.workload)->make(Options(plan.workload_options));
  std::vector<std::string> keys = workload->Keys();
  keys.resize(std::max<size_t>(1, std::min(keys.size(), workload->LockCount())));
  return keys;
}

Duration RestartDelayOf(const Plan& plan) {
  if (!plan.lock_options.contains(kRestartDelay)) return {};
  return Options(plan.lock_options).Span(kRestartDelay);
}

std::string WhyNoRestartDelay(const Plan& plan) {
  const Duration delay = RestartDelayOf(plan);
  if (delay == Duration::zero() || delay > plan.lease) return "";
  return fmt::format(
      "restart-delay is {}, no longer than the lease ({}): a node that comes back before its "
      "grants "
      "are over can give them away again",
      FormatDuration(delay), FormatDuration(plan.lease));
}

void KeepNodesOut(Plan& plan) {
  const Duration delay = RestartDelayOf(plan);
  for (FaultPlan& fault : plan.faults) {
    if (RestartsNodes(fault)) fault.length = std::max(fault.length, delay);
  }
}

Result<void> CheckRestarts(const Plan& plan) {
  const Duration delay = RestartDelayOf(plan);
  for (const FaultPlan& fault : plan.faults) {
    if (!RestartsNodes(fault)) continue;
    // Who asks it after its return is not yet led to where its slots are.
    if (FindTopology(plan.topology)->lead == Lead::kCluster) {
      return BadInput(
          fmt::format("fault '{}': nodes of a cluster are not restarted (did you mean "
                      "'crash', or 'pause'?)",
                      fault.name));
    }
    if (fault.length >= delay) continue;
    return BadInput(
        fmt::format("fault '{}': its nodes are back after {}, before the lock's "
                    "restart-delay of {}",
                    fault.name, FormatDuration(fault.length), FormatDuration(delay)));
  }
  return CheckNodeData(plan);
}

Result<void> CheckKey(const Plan& plan, const FaultPlan& fault) {
  const FaultEntry* kind = FindFault(fault.kind);
  // Of a fault on links the key is that of a command.
  if (kind->needs_network || std::ranges::find(kind->keys, "key") == kind->keys.end()) return {};
  const std::vector<std::string> keys = LockKeysOf(plan);
  // Tokens and queues have the lock's key in their names.
  const bool known = std::ranges::any_of(
      keys, [&](const std::string& key) { return fault.key.find(key) != std::string::npos; });
  if (known) return {};
  return BadInput(UnknownWord("key", fault.key, keys));
}

}  // namespace doublehold
