// The fields of plan.json. plan_json.cc uses these lists to read and to write.
#ifndef DOUBLEHOLD_LIB_PLAN_PLAN_FIELDS_H_
#define DOUBLEHOLD_LIB_PLAN_PLAN_FIELDS_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json_fields.h"
#include "lib/base/step.h"
#include "lib/plan/plan.h"

namespace doublehold {

inline nlohmann::ordered_json WriteField(const Step& step) { return Name(step); }
inline void ReadField(const JsonValue& from, Step& to, const FieldRule& /*rule*/) {
  static const std::vector<std::string> names(kStepNames.begin(), kStepNames.end());
  to = ParseStep(from.Word(names)).value_or(Step{});
}

// Writes a link as the pair [client, node].
inline nlohmann::ordered_json WriteField(const Link& link) {
  return nlohmann::ordered_json::array({link.client, link.node});
}
inline void ReadField(const JsonValue& from, Link& to, const FieldRule& /*rule*/) {
  const std::vector<JsonValue> pair = from.List();
  if (pair.size() != 2) return from.Fail("is not a pair of a client and a node");
  to = {.client = pair[0].Whole<int>(), .node = pair[1].Whole<int>()};
}

// The nodes of a fault, in which kLeaderNode is the word "leader".
template <typename Numbers>
struct FaultNodes {
  Numbers* numbers = nullptr;
  bool operator==(const FaultNodes&) const = default;
};
inline nlohmann::ordered_json WriteField(const FaultNodes<const std::vector<int>>& nodes) {
  auto list = nlohmann::ordered_json::array();
  for (const int node : *nodes.numbers) {
    if (node == kLeaderNode) {
      list.push_back(kLeader);
    } else {
      list.push_back(node);
    }
  }
  return list;
}
inline void ReadField(const JsonValue& from, FaultNodes<std::vector<int>>& to,
                      const FieldRule& /*rule*/) {
  for (const JsonValue& node : from.List()) {
    const bool leads = node.IsText() && node.Word({std::string(kLeader)}) == kLeader;
    to.numbers->push_back(leads ? kLeaderNode : node.Whole<int>(/*least=*/0));
  }
}

void ForEachField(ConstOrNot<Trigger> auto& trigger, auto&& visit) {
  visit("client", trigger.client);
  visit("step", trigger.step);
  visit("nth", trigger.nth);
}

void ForEachField(ConstOrNot<FaultMoment> auto& moment, auto&& visit) {
  visit("fault", moment.fault);
  visit("ended", moment.ended);
}

void ForEachField(ConstOrNot<FaultPlan> auto& fault, auto&& visit) {
  visit("name", fault.name);
  visit("kind", fault.kind);
  visit("from_ns", fault.from);
  visit("on", fault.on);
  visit("every_ns", fault.every);
  visit("times", fault.times);
  visit("length_ns", fault.length);
  visit("until", fault.until);
  visit("until_fault", fault.until_fault);
  visit("during", fault.during);
  visit("client", fault.client);
  FaultNodes nodes{&fault.nodes};
  visit("nodes", nodes);
  visit("direction", fault.direction);
  visit("between", fault.between, {.is_optional = true});
  visit("command", fault.command);
  visit("key", fault.key);
  visit("count", fault.count);
  visit("nth", fault.nth);
  visit("chance", fault.chance);
  visit("delay_ns", fault.delay);
  visit("jitter_ns", fault.jitter);
  visit("spread", fault.spread);
  visit("bytes", fault.bytes);
  visit("gap_ns", fault.gap);
  visit("bytes_per_second", fault.bytes_per_second);
  visit("by_ns", fault.by);
  visit("period_ns", fault.period);
  visit("links", fault.links);
  visit("rate", fault.rate);
  visit("how", fault.how);
  visit("data", fault.data);
  visit("cut_ns", fault.cut);
  visit("drawn", fault.drawn_for);
}

void ForEachField(ConstOrNot<RetryPlan> auto& retry, auto&& visit) {
  visit("interval_ns", retry.interval);
  visit("growth", retry.growth);
  visit("longest_ns", retry.longest);
  visit("jitter", retry.jitter);
  visit("retries", retry.retries);
  visit("timeout_ns", retry.timeout);
}

void ForEachField(ConstOrNot<DriverPlan> auto& driver, auto&& visit) {
  visit("command", driver.command);
  visit("options", driver.options);
  visit("name", driver.name);
  visit("version", driver.version);
  visit("can", driver.can);
  visit("service", driver.service, {.is_optional = true});
  visit("own_clock", driver.own_clock, {.is_optional = true});
}

void ForEachField(ConstOrNot<Plan> auto& plan, auto&& visit) {
  visit("experiment", plan.experiment);
  visit("seed", plan.seed);
  visit("speed", plan.speed, {.is_optional = true});
  visit("lock", plan.lock);
  visit("lock_options", plan.lock_options);
  visit("driver", plan.driver);
  visit("lease_ns", plan.lease);
  visit("call_timeout_ns", plan.call_timeout);
  visit("retry", plan.retry);
  visit("topology", plan.topology);
  visit("server", plan.server, {.is_optional = true});
  visit("endpoints", plan.endpoints, {.is_optional = true});
  visit("containers", plan.containers, {.is_optional = true});
  visit("owns_servers", plan.owns_servers, {.is_optional = true});
  visit("nodes", plan.nodes);
  visit("replicas", plan.replicas);
  visit("down_after_ns", plan.down_after);
  visit("clients", plan.clients);
  visit("threads", plan.threads);
  visit("direct", plan.direct);
  visit("net", plan.net);
  visit("packet_delay_ns", plan.packet_delay);
  visit("workload", plan.workload);
  visit("workload_options", plan.workload_options);
  visit("duration_ns", plan.duration);
  visit("sections", plan.sections);
  visit("grace_ns", plan.grace);
  visit("faults", plan.faults);
  visit("claims", plan.claims);
  visit("limits", plan.limits);
  visit("expect", plan.expect);
  visit("expect_cause", plan.expect_cause);
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_PLAN_PLAN_FIELDS_H_
