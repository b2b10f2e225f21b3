// jump: the wall clock of processes jumps ahead by `by`, or back when that is below 0, and returns
// when it is healed. A node whose clock jumps ahead past a lease forgets the key, one whose clock
// jumps back keeps it longer; the clock that orders the history is left alone.
#include <fmt/format.h>

#include "faults/kinds/clock_faults.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

int64_t AskedByJump(const FaultPlan& plan) { return ToNs(plan.by); }

Result<void> ValidateJump(const FaultPlan& plan) {
  if (plan.by == Duration{}) return BadFault(plan, "needs a duration to jump by (by)", "by");
  return ValidateProcessFault(plan);
}

Healer StartJump(Cluster& cluster, const Strike& strike, Prng&) {
  return StartOnClocks(cluster, ProcessesOf(strike), {.offset = strike.plan.by},
                       AskedByJump(strike.plan));
}

std::string DescribeJump(const FaultPlan& plan) {
  return fmt::format("wall clock of {} moved {}", NameProcesses(plan), NameShift(plan.by));
}

}  // namespace

FaultEntry JumpFault() {
  return {.name = "jump",
          .summary = "makes the wall clock of a client or of nodes jump ahead or back, and return",
          .traits = {FaultTrait::kMovesClock, FaultTrait::kJumps},
          .keys = {"client", "nodes", "by"},
          .validate = ValidateJump,
          .start = StartJump,
          .asked_ns = AskedByJump,
          .what = DescribeJump};
}

}  // namespace doublehold
