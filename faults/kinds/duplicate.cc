// duplicate: `count` requests (1 when not said) on each of its links are sent twice, one behind the
// other, as by a network or a library that sends again. The client is given the reply to the first;
// the proxy takes the other away. What cannot be sent twice without putting the client out of step
// (commands that subscribe, CLIENT, MULTI and what is queued behind it, ...) passes once and is not
// counted, and so does a command of more than a megabyte.
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

Healer StartDuplicate(Cluster& cluster, const Strike& strike, Prng&) {
  return StartOnLinks(
      cluster, strike, {Direction::kRequest},
      {.action = LinkRule::Action::kDuplicate, .limit = std::max(1, strike.plan.count)});
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
