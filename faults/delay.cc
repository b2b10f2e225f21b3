// delay: a slower network. Each frame takes `delay` longer, give or take `jitter`, in one direction
// or in both; frames of a connection keep their order.
#include <fmt/format.h>

#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kDirection = "both";

Result<void> Validate(const FaultPlan& plan) {
  if (plan.delay <= Duration{}) return BadFault(plan, "needs a delay");
  if (plan.jitter < Duration{} || plan.jitter > plan.delay) {
    return BadFault(plan, "its jitter must lie between nothing and its delay");
  }
  return ValidateLinkFault(plan);
}

Healer Start(Cluster& cluster, const Strike& strike, Prng&) {
  return StartOnLinks(cluster, strike, DirectionsOf(strike.plan, kDirection),
                      {.action = LinkRule::Action::kDelay,
                       .command = strike.plan.command,
                       .delay = strike.plan.delay,
                       .jitter = strike.plan.jitter});
}

std::string What(const FaultPlan& plan) {
  std::string what =
      fmt::format("{} delayed by {}", NameTraffic(plan, kDirection), FormatDuration(plan.delay));
  if (plan.jitter > Duration{}) what += fmt::format(" +- {}", FormatDuration(plan.jitter));
  return what;
}

}  // namespace

FaultEntry DelayFault() {
  return {.name = "delay",
          .summary = "frames take longer, with jitter, in one direction or both",
          .keys = {"client", "nodes", "direction", "command", "delay", "jitter"},
          .needs_network = true,
          .validate = Validate,
          .start = Start,
          // The longest a frame can be asked to take; the longest that one took is measured.
          .asked_ns = [](const FaultPlan& plan) { return ToNs(plan.delay + plan.jitter); },
          .what = What};
}

}  // namespace doublehold
