// drip: a network that passes `bytes` every `gap` on each connection, in one direction or both.
// Frames arrive in pieces, and later frames wait behind them.
#include <fmt/format.h>

#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kDripDirection = "both";
// The proxy would spin through shorter gaps, but it has other links to serve.
constexpr Duration kShortestGap = 100us;
constexpr Duration kLongestGap = 60s;

Result<void> ValidateDrip(const FaultPlan& plan) {
  if (plan.bytes < 1)
    return BadFault(plan, "needs the number of bytes that pass at a time (bytes)", "bytes");
  if (plan.gap < kShortestGap || plan.gap > kLongestGap) {
    return BadFault(plan,
                    fmt::format("needs a gap between the bytes, from {} to {} (gap)",
                                FormatDuration(kShortestGap), FormatDuration(kLongestGap)),
                    "gap");
  }
  return ValidateLinkFault(plan);
}

Healer StartDrip(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartTimedOnLinks(
      cluster, start, DirectionsOf(start.plan, kDripDirection),
      {.action = LinkRule::Action::kPace, .bytes = start.plan.bytes, .gap = start.plan.gap});
}

std::string DescribeDrip(const FaultPlan& plan) {
  return fmt::format("{} dripping, {} byte{} every {}", NameTraffic(plan, kDripDirection),
                     plan.bytes, plan.bytes == 1 ? "" : "s", FormatDuration(plan.gap));
}

}  // namespace

FaultEntry DripFault() {
  return {
      .name = "drip",
      .summary = "lets a few bytes pass at a time, in one direction or both",
      .traits = {FaultTrait::kKeepsMessages},
      .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance", "bytes", "gap"},
      .direction = kDripDirection,
      .needs_network = true,
      .validate = ValidateDrip,
      .start = StartDrip,
      .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
      .what = DescribeDrip};
}

}  // namespace doublehold
