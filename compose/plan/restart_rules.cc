#include "compose/plan/restart_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "compose/plan/node_data.h"
#include "faults/fault.h"
#include "lib/base/options.h"
#include "lib/base/words.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

bool RestartsNodes(const FaultPlan& fault) {
  return Does(fault, FaultTrait::kRestarts) &&
         std::ranges::any_of(fault.nodes, [](int node) { return node != kStoreNode; });
}

}  // namespace

std::vector<std::string> ListLockKeys(const Plan& plan) {
  const auto workload = FindWorkload(plan.workload)->make(Options(plan.workload_options));
  std::vector<std::string> keys = workload->Keys();
  keys.resize(std::max<size_t>(1, std::min(keys.size(), workload->LockCount())));
  return keys;
}

Duration ReadRestartDelay(const Plan& plan) {
  if (!plan.lock_options.contains(kRestartDelay)) return {};
  return Options(plan.lock_options).Span(kRestartDelay);
}

std::string ExplainInvalidRestartDelay(const Plan& plan) {
  const Duration delay = ReadRestartDelay(plan);
  if (delay == Duration::zero() || delay > plan.lease) return "";
  return fmt::format(
      "restart-delay is {}, no longer than the lease ({}): a node that restarts before its grants "
      "have ended can grant the lock again",
      FormatDuration(delay), FormatDuration(plan.lease));
}

void KeepNodesOut(Plan& plan) {
  const Duration delay = ReadRestartDelay(plan);
  for (FaultPlan& fault : plan.faults) {
    if (RestartsNodes(fault)) fault.length = std::max(fault.length, delay);
  }
}

Result<void> CheckRestart(const Plan& plan, const FaultPlan& fault) {
  if (!Does(fault, FaultTrait::kRestarts)) return {};
  const Duration delay = ReadRestartDelay(plan);
  if (RestartsNodes(fault) && fault.length < delay) {
    return BadInput(
        fmt::format("its nodes are back after {}, before the lock's restart-delay of {}",
                    FormatDuration(fault.length), FormatDuration(delay)),
        "for");
  }
  return CheckNodeData(plan, fault);
}

Result<void> CheckKey(const Plan& plan, const FaultPlan& fault) {
  const FaultEntry* kind = FindFault(fault.kind);
  // A fault on links uses `key` for the key of a command.
  if (kind->needs_network || std::ranges::find(kind->keys, "key") == kind->keys.end()) return {};
  const std::vector<std::string> keys = ListLockKeys(plan);
  // The keys of tokens and queues contain the lock's key.
  const bool known = std::ranges::any_of(
      keys, [&](const std::string& key) { return fault.key.find(key) != std::string::npos; });
  if (known) return {};
  return BadInput(UnknownWord("key", fault.key, keys));
}

}  // namespace doublehold
