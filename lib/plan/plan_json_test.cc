#include "lib/plan/plan_json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace doublehold {
namespace {

using nlohmann::json;

// Returns a plan whose members all differ from their defaults.
Plan FullPlan() {
  FaultPlan first{.name = "held-write", .kind = "hold"};
  first.from = 300ms;
  first.on = Trigger{.client = 1, .step = Step::kBeforeWrite};
  first.every = 2s;
  first.times = 3;
  first.length = 800ms;
  first.until = Trigger{.client = 0, .step = Step::kAfterRelease};
  first.during = "jump-of-2";
  first.client = 1;
  first.nodes = {kStoreNode, 2};
  first.direction = "request";
  first.command = "SET";
  first.key = "dh:item:0";
  first.count = 2;
  first.nth = 3;
  first.chance = 0.5;
  first.delay = 5ms;
  first.jitter = 1ms;
  first.spread = "pareto";
  first.bytes = 10;
  first.gap = 5ms;
  first.bytes_per_second = 20'000;
  first.links = {{.client = 1, .node = kStoreNode}, {.client = 2, .node = 1}};
  first.drawn_for = "network";
  FaultPlan second{.name = "jump-of-2", .kind = "jump"};
  second.until_fault = FaultMoment{.fault = "held-write", .ended = true};
  second.nodes = {kLeaderNode};
  second.between = "servers";
  second.by = 40s;
  second.period = 3s;
  second.rate = 1.25;
  second.how = "planned";
  second.data = "aof-cut";
  second.cut = 20ms;
  second.key = "dh:item:0";
  return {
      .experiment = "k15",
      .seed = UINT64_MAX,
      .speed = 10,
      .lock = "redlock",
      .lock_options = {{"ask", "at-once"}, {"clock", "wall"}},
      .driver = DriverPlan{"python3 d.py", {{"fair", "yes"}}, "mine", "1.2", {"extend", "lease"}},
      .lease = 500ms,
      .call_timeout = 250ms,
      .retry = {.interval = 10ms,
                .growth = 2,
                .longest = 80ms,
                .jitter = 0.5,
                .retries = 7,
                .timeout = 5s},
      .topology = "independent",
      .server = "redis@6.2",
      .nodes = 5,
      .replicas = 2,
      .down_after = 700ms,
      .clients = 3,
      .threads = 2,
      .direct = true,
      .net = "namespaces",
      .packet_delay = 3ms,
      .workload = "cycle",
      .workload_options = {{"think", "0"}},
      .duration = 2s,
      .sections = 50,
      .grace = 400ms,
      .faults = {first, second},
      .claims = {"exclusion", "liveness"},
      .limits = {{"max-wait", "5s"}},
      .expect = {{"exclusion", "violated"}},
      .expect_cause = {{"exclusion", {"stopped", "overran"}}}};
}

std::string Refusal(const json& plan) {
  const Result<Plan> read = PlanFromJson(plan, "p.json");
  if (read) return "accepted";
  EXPECT_EQ(read.error().code, ExitCode::kBadInput);
  EXPECT_EQ(read.error().message.substr(0, 8), "p.json: ");
  return read.error().message.substr(8);
}

TEST(PlanJson, EveryPlanReadsBackEqual) {
  for (const Plan& plan : {FullPlan(), Plan{}}) {
    const Result<Plan> read = PlanFromJson(json::parse(ToJson(plan).dump()), "p.json");
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, plan);
  }
}

TEST(PlanJson, EveryFieldOfTheFullPlanDiffersFromItsDefault) {
  Plan plain;
  plain.faults.resize(1);
  const json usual = ToJson(plain);
  const json full = ToJson(FullPlan());
  for (const auto& [name, value] : full.items())
    EXPECT_NE(value, usual.value(name, json())) << name;
  for (const auto& [name, value] : full["retry"].items())
    EXPECT_NE(value, usual["retry"][name]) << name;
  for (const auto& [name, value] : full["faults"][0].items()) {
    const json& by_default = usual["faults"][0][name];
    EXPECT_TRUE(value != by_default || full["faults"][1][name] != by_default) << name;
  }
}

TEST(PlanJson, AMissingFieldIsNamed) {
  const json plan = ToJson(FullPlan());
  const std::set<std::string> optional{"speed", "server"};
  for (const auto& [name, value] : plan.items()) {
    if (optional.contains(name)) continue;
    json without = plan;
    without.erase(name);
    EXPECT_EQ(Refusal(without), "field '" + name + "' is missing");
  }
  for (const auto& [name, value] : plan["faults"][0].items()) {
    json without = plan;
    without["faults"][0].erase(name);
    EXPECT_EQ(Refusal(without), "field 'faults[0]." + name + "' is missing");
  }
}

TEST(PlanJson, AnUnknownFieldIsNamed) {
  const struct {
    const char* place;
    const char* message;
  } cases[] = {
      {"/leaze_ns", "field 'leaze_ns' is unknown (did you mean 'lease_ns'?)"},
      {"/retry/retris", "field 'retry.retris' is unknown (did you mean 'retries'?)"},
      {"/faults/1/rates", "field 'faults[1].rates' is unknown (did you mean 'rate'?)"},
      {"/faults/0/on/stop", "field 'faults[0].on.stop' is unknown (did you mean 'step'?)"},
      {"/faults/1/until_fault/end",
       "field 'faults[1].until_fault.end' is unknown (did you mean 'ended'?)"},
  };
  for (const auto& [place, message] : cases) {
    json plan = ToJson(FullPlan());
    plan[json::json_pointer(place)] = 1;
    EXPECT_EQ(Refusal(plan), message);
  }
}

TEST(PlanJson, AMistypedOrOutOfRangeValueIsRefused) {
  const struct {
    const char* place;
    json value;
    const char* message;
  } cases[] = {
      {"/seed", -1, "field 'seed' is -1, outside 0 to 18446744073709551615"},
      {"/seed", 1.0, "field 'seed' is not a whole number"},
      {"/nodes", true, "field 'nodes' is not a whole number"},
      {"/nodes", 1.5, "field 'nodes' is not a whole number"},
      {"/nodes", 5'000'000'000, "field 'nodes' is 5000000000, outside -2147483648 to 2147483647"},
      {"/lease_ns", "500ms", "field 'lease_ns' is not a whole number"},
      {"/lease_ns", 1e30, "field 'lease_ns' is not a whole number"},
      {"/lease_ns", UINT64_MAX,
       "field 'lease_ns' is 18446744073709551615, outside -9223372036854775808 to "
       "9223372036854775807"},
      {"/direct", 0, "field 'direct' is not true or false"},
      {"/lock", nullptr, "field 'lock' is not a string"},
      {"/lock_options/ask", 1, "field 'lock_options.ask' is not a string"},
      {"/lock_options", json::array(), "field 'lock_options' is not an object"},
      {"/claims", "exclusion", "field 'claims' is not a list"},
      {"/claims/0", 1, "field 'claims[0]' is not a string"},
      {"/retry", json::array(), "field 'retry' is not an object"},
      {"/retry/jitter", "half", "field 'retry.jitter' is not a number"},
      {"/faults", nullptr, "field 'faults' is not a list"},
      {"/faults", json::object(), "field 'faults' is not a list"},
      {"/faults/1", 5, "field 'faults[1]' is not an object"},
      {"/faults/0/client", "1", "field 'faults[0].client' is not a whole number"},
      {"/faults/1/nodes/0", "laeder",
       "field 'faults[1].nodes[0]' is 'laeder', which is unknown (did you mean 'leader'?)"},
      {"/faults/0/nodes/1", -1, "field 'faults[0].nodes[1]' is -1, outside 0 to 2147483647"},
      {"/faults/0/nodes/1", 2.5, "field 'faults[0].nodes[1]' is not a whole number"},
      {"/faults/0/links", json::array({json::array({1})}),
       "field 'faults[0].links[0]' is not a pair of a client and a node"},
      {"/faults/0/on", "client 1 start", "field 'faults[0].on' is not an object"},
      {"/faults/0/on/step", "before-wriet",
       "field 'faults[0].on.step' is 'before-wriet', which is unknown (did you mean "
       "'before-write'?)"},
      {"/expect_cause/exclusion/1", 1, "field 'expect_cause.exclusion[1]' is not a string"},
  };
  for (const auto& [place, value, message] : cases) {
    json plan = ToJson(FullPlan());
    plan[json::json_pointer(place)] = value;
    EXPECT_EQ(Refusal(plan), message) << place << " = " << value;
  }
  EXPECT_EQ(Refusal(json::array()), "not a JSON object");
}

TEST(PlanJson, AFileThatIsNotAPlanIsRefusedInOneLine) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("doublehold-plan-test-" + std::to_string(getpid()));
  const std::string whole = ToJson(FullPlan()).dump(2);
  for (const std::string& text : {std::string(), whole.substr(0, whole.size() / 2), whole + "}",
                                  std::string("\x00\xff", 2)}) {
    std::ofstream(file, std::ios::binary) << text;
    const Result<Plan> read = ReadPlanFile(file);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().message, file.string() + ": not JSON, or cut off");
  }
  std::filesystem::remove(file);
  EXPECT_EQ(ReadPlanFile(file).error().message, file.string() + ": no such file");
  EXPECT_EQ(ReadPlanFile("/").error().message, "/: is a folder; name a plan.json");
}

}  // namespace
}  // namespace doublehold
