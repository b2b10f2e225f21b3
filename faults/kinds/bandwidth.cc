// bandwidth: passes at most `bytes-per-second` on each connection, in one direction or both.
// Further bytes wait, and in the end their sender is blocked.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kBandwidthDirection = "both";
constexpr int64_t kPortionsPerSecond = 1000;  // bytes pass in portions of one millisecond

Result<void> ValidateBandwidth(const FaultPlan& plan) {
  if (plan.bytes_per_second < 1) return BadFault(plan, "needs a bandwidth (bytes-per-second)");
  return ValidateLinkFault(plan);
}

Healer StartBandwidth(Cluster& cluster, const FaultStart& start, Prng&) {
  const int64_t bytes = std::max<int64_t>(1, start.plan.bytes_per_second / kPortionsPerSecond);
  const Duration gap = Duration(std::chrono::seconds(bytes)) / start.plan.bytes_per_second;
  return StartTimedOnLinks(cluster, start, DirectionsOf(start.plan, kBandwidthDirection),
                           {.action = LinkRule::Action::kPace, .bytes = bytes, .gap = gap});
}

std::string DescribeBandwidth(const FaultPlan& plan) {
  return fmt::format("{} limited to {} byte{} a second", NameTraffic(plan, kBandwidthDirection),
                     plan.bytes_per_second, plan.bytes_per_second == 1 ? "" : "s");
}

}  // namespace

FaultEntry BandwidthFault() {
  return {.name = "bandwidth",
          .summary = "limits the bytes per second of connections, in one direction or both",
          .traits = {FaultTrait::kKeepsMessages},
          .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance",
                   "bytes-per-second"},
          .direction = kBandwidthDirection,
          .needs_network = true,
          .validate = ValidateBandwidth,
          .start = StartBandwidth,
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.length); },
          .what = DescribeBandwidth};
}

}  // namespace doublehold
