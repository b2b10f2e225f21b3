// Tests errors in a plan that was read from a file.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "compose/plan/plan_builder.h"
#include "compose/testing/plan_testing.h"

namespace doublehold {
namespace {

using testing::Good;

TEST(CheckPlan, RefusesAPlanThatCannotRunHere) {
  const Plan good = Good("faults = \"pause\"\nlock.name = \"redlock\"\n");
  const struct {
    std::function<void(Plan&)> spoil;
    std::string message;
  } cases[] = {
      {[](Plan& p) { p.lock = "redlok"; },
       "p.json: lock 'redlok' is unknown (did you mean 'redlock'?)"},
      {[](Plan& p) { p.workload = "inventry"; },
       "p.json: workload 'inventry' is unknown (did you mean 'inventory'?)"},
      {[](Plan& p) { p.topology = "clustr"; },
       "p.json: topology 'clustr' is unknown (did you mean 'cluster'?)"},
      {[](Plan& p) { p.replicas = 1; },
       "p.json: topology.replicas: 'independent' has no replicas; use replicated, sentinel or "
       "cluster"},
      {[](Plan& p) { p.down_after = 1s; }, "p.json: field 'down_after_ns' is out of range"},
      {[](Plan& p) { p.lease = 0s; }, "p.json: field 'lease_ns' is out of range"},
      {[](Plan& p) { p.clients = 0; }, "p.json: field 'clients' is out of range"},
      {[](Plan& p) { p.nodes = 1; },
       "p.json: topology.nodes: lock redlock uses 2 to 15 nodes, not 1"},
      {[](Plan& p) { p.duration = -1s; }, "p.json: field 'duration_ns' is out of range"},
      {[](Plan& p) { p.call_timeout = 0s; }, "p.json: field 'call_timeout_ns' is out of range"},
      {[](Plan& p) { p.grace = -1s; }, "p.json: field 'grace_ns' is out of range"},
      {[](Plan& p) { p.retry.interval = -1s; },
       "p.json: field 'retry.interval_ns' is out of range"},
      {[](Plan& p) { p.retry.jitter = 2; }, "p.json: field 'retry.jitter' is out of range"},
      {[](Plan& p) { p.retry.retries = -2; }, "p.json: field 'retry.retries' is out of range"},
      {[](Plan& p) { p.retry.timeout = -1s; }, "p.json: field 'retry.timeout_ns' is out of range"},
      {[](Plan& p) { p.lock_options.erase("ask"); },
       "p.json: lock redlock: option 'ask' is missing"},
      {[](Plan& p) { p.lock_options["ask"] = "all"; },
       "p.json: lock redlock: option ask: 'all' is unknown (one of: in-turn, at-once)"},
      {[](Plan& p) { p.lock_options["node-timeout"] = "30ms"; },
       "p.json: lock redlock: option node-timeout: '30ms' is not a whole number"},
      {[](Plan& p) { p.workload_options["stock"] = "many"; },
       "p.json: workload inventory: option stock: 'many' is not a whole number"},
      {[](Plan& p) { p.workload_options["items"] = "0"; },
       "p.json: workload inventory: option items: 0 is not in 1..1000"},
      {[](Plan& p) { p.workload_options["itms"] = "1"; },
       "p.json: workload inventory: option 'itms' is unknown (did you mean 'items'?)"},
      {[](Plan& p) { p.claims = {"exclusin"}; },
       "p.json: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {[](Plan& p) { p.expect["exclusin"] = "valid"; },
       "p.json: expect: claim 'exclusin' is unknown (did you mean 'exclusion'?)"},
      {[](Plan& p) { p.expect["exclusion"] = "vaild"; },
       "p.json: expect: outcome 'vaild' is unknown (did you mean 'valid'?)"},
      {[](Plan& p) { p.faults[0].kind = "puase"; },
       "p.json: fault 'stopped-client': fault 'puase' is unknown (did you mean 'pause'?)"},
      {[](Plan& p) { p.faults[0].client = 7; },
       "p.json: fault 'stopped-client': client 7 does not exist: the run has clients 1..4"},
      {[](Plan& p) { p.faults[0].client = 0; },
       "p.json: fault 'stopped-client': client 0 does not exist: the run has clients 1..4"},
      {[](Plan& p) { p.faults[0].on->client = -1; },
       "p.json: fault 'stopped-client': client -1 does not exist: the run has clients 1..4"},
      {[](Plan& p) { p.faults[0].nodes = {-2}; },
       "p.json: fault 'stopped-client': node -2 does not exist: the run has nodes 1..5"},
      {[](Plan& p) { p.faults[0].between = "all"; },
       "p.json: fault 'stopped-client': 'pause' does not act between servers; use 'partition'"},
      {[](Plan& p) { p.faults[0].times = 0; },
       "p.json: fault 'stopped-client': field 'times' is out of range"},
      {[](Plan& p) { p.faults[0].every = -1s; },
       "p.json: fault 'stopped-client': field 'every_ns' is out of range"},
      {[](Plan& p) { p.faults[0].from = -1s; },
       "p.json: fault 'stopped-client': field 'from_ns' is out of range"},
      {[](Plan& p) { p.faults[0].length = -1s; },
       "p.json: fault 'stopped-client': field 'length_ns' is out of range"},
      {[](Plan& p) { p.faults[0].delay = -1s; },
       "p.json: fault 'stopped-client': field 'delay_ns' is out of range"},
      {[](Plan& p) { p.faults[0].jitter = -1s; },
       "p.json: fault 'stopped-client': field 'jitter_ns' is out of range"},
      {[](Plan& p) { p.faults.push_back(p.faults[0]); },
       "p.json: fault 'stopped-client': another fault has the same name"},
  };
  for (const auto& [spoil, message] : cases) {
    Plan plan = good;
    spoil(plan);
    const Result<void> checked = CheckPlan(plan, "p.json");
    ASSERT_FALSE(checked.has_value()) << message;
    EXPECT_EQ(checked.error().message, message);
  }
}

}  // namespace
}  // namespace doublehold
