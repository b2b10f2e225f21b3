// jump: moves the wall clock of processes ahead by `by` (negative: back). Once healed, the clock
// reads the true time again. A node whose clock jumps past a lease expires the key early; a node
// whose clock jumps back keeps the key longer. The jump does not affect the clock that orders the
// history.
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

Healer StartJump(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnClocks(cluster, ProcessesOf(start), {.offset = start.plan.by},
                       AskedByJump(start.plan));
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
