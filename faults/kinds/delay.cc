// delay: a slow network. Each frame takes `delay` longer, plus or minus `jitter`, in one direction
// or both. Frames of a connection keep their order. `spread` is the distribution of the jitter.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "faults/proxy/rules.h"
#include "faults/targets.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr std::string_view kDelayDirection = "both";

const std::vector<std::string>& Spreads() {
  static const std::vector<std::string> names{"uniform", "normal",
                                              "pareto"};  // in the order of LinkRule::Spread
  return names;
}

LinkRule RuleOf(const FaultPlan& plan) {
  const auto spread = std::ranges::find(Spreads(), plan.spread);
  LinkRule rule{.action = LinkRule::Action::kDelay, .delay = plan.delay, .jitter = plan.jitter};
  if (spread != Spreads().end()) {
    rule.spread = static_cast<LinkRule::Spread>(spread - Spreads().begin());
  }
  return rule;
}

Result<void> ValidateDelay(const FaultPlan& plan) {
  if (plan.delay <= Duration{}) return BadFault(plan, "needs a delay");
  if (!plan.spread.empty() && std::ranges::find(Spreads(), plan.spread) == Spreads().end()) {
    return BadFault(plan, UnknownWord("spread", plan.spread, Spreads()), "spread");
  }
  if (!plan.spread.empty() && plan.jitter <= Duration{}) {
    return BadFault(plan, "has a spread, but no jitter", "spread");
  }
  // A Pareto jitter never shortens the delay, so it may exceed the delay.
  if (plan.jitter < Duration{} || (plan.jitter > plan.delay && plan.spread != "pareto")) {
    return BadFault(plan, "its jitter must be between 0 and its delay", "jitter");
  }
  return ValidateLinkFault(plan);
}

Healer StartDelay(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnLinks(cluster, start, DirectionsOf(start.plan, kDelayDirection),
                      RuleOf(start.plan));
}

std::string DescribeDelay(const FaultPlan& plan) {
  std::string what = fmt::format("{} delayed by {}", NameTraffic(plan, kDelayDirection),
                                 FormatDuration(plan.delay));
  if (plan.jitter <= Duration{}) return what;
  if (plan.spread == "pareto") {
    return what + fmt::format(" and more, {} in the mean", FormatDuration(plan.jitter));
  }
  what += fmt::format(" +- {}", FormatDuration(plan.jitter));
  return plan.spread == "normal" ? what + " (normal)" : what;
}

}  // namespace

FaultEntry DelayFault() {
  return {.name = "delay",
          .summary = "delays messages, with jitter, in one direction or both",
          .traits = {FaultTrait::kKeepsMessages, FaultTrait::kDelays},
          .keys = {"client", "nodes", "direction", "command", "key", "nth", "chance", "delay",
                   "jitter", "spread"},
          .direction = kDelayDirection,
          .needs_network = true,
          .validate = ValidateDelay,
          .start = StartDelay,
          // The longest delay that can be drawn. The healer returns the longest delay that
          // occurred.
          .asked_ns = [](const FaultPlan& plan) { return ToNs(LongestDelay(RuleOf(plan))); },
          .what = DescribeDelay};
}

}  // namespace doublehold
