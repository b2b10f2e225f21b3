// jump: the wall clock of processes jumps ahead by `by`, and back when it is healed. A node whose
// clock jumps past a lease forgets the key; the clock that orders the history is left alone.
#include <fmt/format.h>

#include "faults/clock_faults.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

int64_t Asked(const FaultPlan& plan) { return ToNs(plan.by); }

Result<void> Validate(const FaultPlan& plan) {
  if (plan.by == Duration{}) return BadFault(plan, "needs a span to jump by (by)");
  return ValidateProcessFault(plan);
}

Healer Start(Cluster& cluster, const Strike& strike, Prng&) {
  return StartOnClocks(cluster, ProcessesOf(strike), strike.plan.by, 1.0, Asked(strike.plan));
}

std::string What(const FaultPlan& plan) {
  return fmt::format("wall clock of {} moved ahead by {}", NameProcesses(plan),
                     FormatDuration(plan.by));
}

}  // namespace

FaultEntry JumpFault() {
  return {.name = "jump",
          .summary = "the wall clock of a client or of nodes jumps ahead, and back",
          .keys = {"client", "nodes", "by"},
          .validate = Validate,
          .start = Start,
          .asked_ns = Asked,
          .what = What};
}

}  // namespace doublehold
