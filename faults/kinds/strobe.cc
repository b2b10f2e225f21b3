// strobe: the wall clock of processes alternates between ahead by `by` (negative: back) and true,
// `period` each. A clock behaves in this way when the time service and the host disagree. Leases
// end early, or begin again, at random.
#include <fmt/format.h>

#include "faults/kinds/clock_faults.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

int64_t AskedByStrobe(const FaultPlan& plan) { return ToNs(plan.by); }

Result<void> ValidateStrobe(const FaultPlan& plan) {
  if (plan.by == Duration{}) return BadFault(plan, "needs a duration to jump by (by)", "by");
  if (plan.period <= Duration{}) {
    return BadFault(plan, "needs a period: how long the clock stays ahead, and then back",
                    "period");
  }
  if (plan.length > Duration{} && plan.period > plan.length) {
    return BadFault(plan,
                    fmt::format("has a period of {}, longer than it lasts ({})",
                                FormatDuration(plan.period), FormatDuration(plan.length)),
                    "period");
  }
  return ValidateProcessFault(plan);
}

Healer StartStrobe(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnClocks(cluster, ProcessesOf(start),
                       {.swing = start.plan.by, .period = start.plan.period},
                       AskedByStrobe(start.plan));
}

std::string DescribeStrobe(const FaultPlan& plan) {
  return fmt::format("wall clock of {} moved {} to and fro every {}", NameProcesses(plan),
                     NameShift(plan.by), FormatDuration(plan.period));
}

}  // namespace

FaultEntry StrobeFault() {
  return {.name = "strobe",
          .summary = "makes the wall clock of a client or of nodes jump to and fro",
          .traits = {FaultTrait::kMovesClock},
          .keys = {"client", "nodes", "by", "period"},
          .validate = ValidateStrobe,
          .start = StartStrobe,
          .asked_ns = AskedByStrobe,
          .what = DescribeStrobe};
}

}  // namespace doublehold
