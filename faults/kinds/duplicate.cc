// duplicate: sends `count` requests (default 1) on each link twice, back to back, as a
// retransmitting network or library does. The client gets the first reply; the proxy removes the
// second. Commands that cannot be duplicated pass once and are not counted: commands that
// subscribe, CLIENT, MULTI and commands queued behind it, commands above 1 MiB.
#include <fmt/format.h>

#include <algorithm>

#include "faults/proxy/redis/reply_names.h"
#include "faults/targets.h"

namespace doublehold {
namespace {

constexpr std::string_view kDuplicateDirection = "request";

Result<void> ValidateDuplicate(const FaultPlan& plan) {
  if (!plan.command.empty() && !IsRepeatable(plan.command)) {
    return BadFault(plan,
                    fmt::format("command {} cannot be sent twice: its client would receive replies "
                                "that it does not expect",
                                plan.command),
                    "command");
  }
  return ValidateLinkFault(plan);
}

Healer StartDuplicate(Cluster& cluster, const FaultStart& start, Prng&) {
  return StartOnLinks(
      cluster, start, {Direction::kRequest},
      {.action = LinkRule::Action::kDuplicate, .limit = std::max(1, start.plan.count)});
}

std::string DescribeDuplicate(const FaultPlan& plan) {
  return fmt::format("{} sent twice",
                     NameTraffic(plan, kDuplicateDirection, std::max(1, plan.count)));
}

}  // namespace

FaultEntry DuplicateFault() {
  return {.name = "duplicate",
          .summary = "sends single requests twice, and drops the second reply",
          .traits = {FaultTrait::kRepeats},
          .keys = {"client", "nodes", "command", "key", "nth", "chance", "count"},
          .direction = kDuplicateDirection,
          .needs_network = true,
          .validate = ValidateDuplicate,
          .start = StartDuplicate,
          .asked_ns = [](const FaultPlan&) { return int64_t{0}; },
          .what = DescribeDuplicate};
}

}  // namespace doublehold
