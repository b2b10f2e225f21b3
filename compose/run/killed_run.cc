#include "compose/run/killed_run.h"

#include <signal.h>

#include <algorithm>

#include "compose/plan/plan_builder.h"
#include "compose/run/merge_segments.h"
#include "compose/run/takeovers.h"

namespace doublehold {

History CollectKilledRun(SharedRun& shared, const Plan& plan) {
  const SupervisorControl& supervisor = shared.OwnControl();
  const int64_t start_ns = supervisor.start_ns.load(std::memory_order_acquire);
  const int64_t alive_ns = supervisor.alive_ns.load(std::memory_order_acquire);
  const int64_t end_ns = start_ns == 0 ? 0 : std::max<int64_t>(alive_ns - start_ns, 0);
  History history{.facts = FactsOf(plan), .events = {}};
  AppendSegments(shared, plan, end_ns, history);
  std::erase_if(history.events, [end_ns](const Event& event) { return event.at_ns > end_ns; });
  SortByTime(history.events);
  // The supervisor added a fault to the facts at each node's first takeover.
  Takeovers takeovers;
  const auto planned = static_cast<int64_t>(history.facts.faults.size());
  for (const Event& event : history.events) {
    const bool starts = event.op == Op::kFault && event.type == EventType::kInvoke;
    if (starts && event.value[0] >= planned)
      takeovers.Note(static_cast<int>(event.value[3]), history.facts);
  }
  history.events.push_back({.at_ns = end_ns,
                            .client = kSupervisor,
                            .op = Op::kDied,
                            .type = EventType::kInfo,
                            .value = {SIGKILL}});
  return history;
}

}  // namespace doublehold
