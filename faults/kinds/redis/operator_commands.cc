#include "faults/kinds/redis/operator_commands.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "faults/targets.h"

namespace doublehold {
namespace {

struct Progress {
  size_t open = 0;
  bool changed = false;
  int64_t took_ns = kDidNotAct;
};

}  // namespace

Healer StartOnNodes(Cluster& cluster, const FaultStart& start,
                    const std::function<void(int node, CommandsDone done)>& send_commands) {
  const auto progress = std::make_shared<Progress>(Progress{.open = start.plan.nodes.size()});
  const CommandsDone done = [&cluster, progress, began = cluster.Now(),
                             on_limit_reached = start.on_limit_reached](bool changed) {
    progress->changed = progress->changed || changed;
    if (--progress->open > 0) return;
    if (progress->changed) {
      progress->took_ns = AtLeastActed(cluster.Now() - began);
    }
    if (on_limit_reached) on_limit_reached();
  };
  for (const int node : start.plan.nodes) send_commands(node, done);
  return Healer([progress] { return progress->took_ns; });
}

Result<void> ValidateOperatorFault(const FaultPlan& plan) {
  if (plan.nodes.empty()) return BadFault(plan, "needs the nodes to act on (nodes)");
  if (plan.length != Duration::zero())
    return BadFault(plan, "has no duration: remove 'for'", "for");
  return {};
}

int64_t NoAskedLength(const FaultPlan&) { return 0; }

int64_t NumberInInfo(const CallResult& info, std::string_view name) {
  if (!info) return 0;
  const std::string wanted = std::string(name) + ":";
  const size_t at = info->text.find(wanted);
  int64_t number = 0;
  if (at == std::string::npos) return 0;
  const char* end = info->text.data() + info->text.size();
  std::from_chars(info->text.data() + at + wanted.size(), end, number);
  return number;
}

}  // namespace doublehold
