// drift: the wall clock of processes runs at `rate`, beginning at the current time. Once healed,
// the clock reads the true time again.
#include <fmt/format.h>

#include <cmath>

#include "faults/kinds/clock_faults.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr double kFastest = 100;  // highest rate that the clock page accepts

// Returns the clock's offset at the end of the fault, in ns.
int64_t AskedByDrift(const FaultPlan& plan) {
  return std::llround((plan.rate - 1.0) * static_cast<double>(ToNs(plan.length)));
}

Result<void> ValidateDrift(const FaultPlan& plan) {
  if (!(plan.rate > 0 && plan.rate <= kFastest)) {
    return BadFault(
        plan, fmt::format("rate is {}: it must be above 0 and at most {}", plan.rate, kFastest),
        "rate");
  }
  if (plan.rate == 1.0) return BadFault(plan, "needs a rate other than 1", "rate");
  return ValidateProcessFault(plan);
}

Healer StartDrift(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnClocks(cluster, ProcessesOf(start), {.rate = start.plan.rate},
                       AskedByDrift(start.plan));
}

std::string DescribeDrift(const FaultPlan& plan) {
  return fmt::format("wall clock of {} running at {} times the true rate", NameProcesses(plan),
                     plan.rate);
}

}  // namespace

FaultEntry DriftFault() {
  return {.name = "drift",
          .summary = "makes the wall clock of a client or of nodes run fast or slow",
          .traits = {FaultTrait::kMovesClock},
          .keys = {"client", "nodes", "rate"},
          .validate = ValidateDrift,
          .start = StartDrift,
          .asked_ns = AskedByDrift,
          .what = DescribeDrift};
}

}  // namespace doublehold
