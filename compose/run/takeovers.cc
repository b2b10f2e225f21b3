#include "compose/run/takeovers.h"

#include <fmt/format.h>

namespace doublehold {

std::array<Event, 2> Takeovers::Note(int node, RunFacts& facts) {
  const auto [found, is_new] = faults_.emplace(node, facts.faults.size());
  if (is_new) {
    facts.faults.push_back(
        {.name = fmt::format("failover of node {} by others", node),
         .kind = "failover",
         .traits = FaultTraits{FaultTrait::kLosesData, FaultTrait::kTakesOver,
                               FaultTrait::kLosesMessages},
         .what = fmt::format("another server took over from node {}, by no fault of the run", node),
         .nodes = {node},
         .planned = 0});
  }
  ++facts.faults[found->second].planned;
  const auto index = static_cast<int64_t>(found->second);
  const Event starts{.client = kSupervisor, .op = Op::kFault, .value = {index, 0, -1, node}};
  Event ends = starts;
  ends.type = EventType::kOk;
  ends.value[1] = 1;
  return {starts, ends};
}

}  // namespace doublehold
