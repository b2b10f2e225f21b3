#include "lib/plan/plan_json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace doublehold {
namespace {

using nlohmann::json;

// Every member differs from its default.
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
  FaultPlan second{.name = "jump-of-2", .kind = "jump"};
  second.until_fault = FaultMoment{.fault = "held-write", .ended = true};
  second.by = 40s;
  second.rate = 1.25;
  second.how = "planned";
  second.data = "aof-cut";
  second.cut = 20ms;
  second.key = "dh:item:0";
  return {
      .experiment = "k15",
      .seed = UINT64_MAX,
      .lock = "redlock",
      .lock_options = {{"ask", "at-once"}, {"clock", "wall"}},
      .driver = DriverPlan{"python3 d.py", {{"fair", "yes"}}, "mine", "1.2", {"extend", "lease"}},
      .lease = 500ms,
      .call_timeout = 250ms,
      .retry = {.interval = 10ms, .jitter = 0.5, .retries = 7, .timeout = 5s},
      .topology = "independent",
      .nodes = 5,
      .replicas = 2,
      .down_after = 700ms,
      .clients = 3,
      .direct = true,
      .net = "namespaces",
      .packet_delay = 3ms,
      .workload = "cycle",
      .workload_options = {{"think", "0"}},
      .duration = 2s,
      .grace = 400ms,
      .faults = {first, second},
      .claims = {"exclusion", "liveness"},
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

TEST(PlanJson, EveryPlanComesBackAsItWas) {
  for (const Plan& plan : {FullPlan(), Plan{}}) {
    const Result<Plan> read = PlanFromJson(json::parse(ToJson(plan).dump()), "p.json");
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, plan);
  }
}

TEST(PlanJson, OldNamesOfClaimsAreReadAndNewOnesWritten) {
  json plan = ToJson(FullPlan());
  plan["claims"] = json::parse(R"(["exclusion","warned"])");
  plan["expect"] = json::parse(R"({"exclusion":"any","warned":"violated"})");
  plan["expect_cause"] = json::parse(R"({"warned":["overran"]})");
  const Result<Plan> read = PlanFromJson(plan, "p.json");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const json written = ToJson(*read);
  EXPECT_EQ(written["claims"], json::parse(R"(["exclusion","lost-lock-notification"])"));
  EXPECT_EQ(written["expect"],
            json::parse(R"({"exclusion":"any","lost-lock-notification":"violated"})"));
  EXPECT_EQ(written["expect_cause"], json::parse(R"({"lost-lock-notification":["overran"]})"));
}

TEST(PlanJson, AClaimByBothOfItsNamesIsRefused) {
  for (const char* table : {"expect", "expect_cause"}) {
    json plan = ToJson(FullPlan());
    const json value = table == std::string("expect") ? json("any") : json::array({"overran"});
    plan[table] = {{"warned", value}, {"lost-lock-notification", value}};
    EXPECT_EQ(Refusal(plan), std::string(table) +
                                 ": claim 'lost-lock-notification' is given twice: 'warned' is its "
                                 "old name");
  }
}

TEST(PlanJson, WhatIsMissingIsNamed) {
  const json plan = ToJson(FullPlan());
  for (const auto& [name, value] : plan.items()) {
    json without = plan;
    without.erase(name);
    EXPECT_EQ(Refusal(without), "'" + name + "' is missing");
  }
  for (const auto& [name, value] : plan["faults"][0].items()) {
    json without = plan;
    without["faults"][0].erase(name);
    EXPECT_EQ(Refusal(without), "fault 1: '" + name + "' is missing");
  }
}

TEST(PlanJson, WhatIsUnknownIsNamed) {
  const struct {
    const char* place;
    const char* message;
  } cases[] = {
      {"/leaze_ns", "member 'leaze_ns' is unknown (did you mean 'lease_ns'?)"},
      {"/retry/retris", "member 'retris' is unknown (did you mean 'retries'?)"},
      {"/faults/1/rates", "fault 2: member 'rates' is unknown (did you mean 'rate'?)"},
      {"/faults/0/on/stop", "fault 1: member 'stop' is unknown (did you mean 'step'?)"},
      {"/faults/1/until_fault/end", "fault 2: member 'end' is unknown (did you mean 'ended'?)"},
  };
  for (const auto& [place, message] : cases) {
    json plan = ToJson(FullPlan());
    plan[json::json_pointer(place)] = 1;
    EXPECT_EQ(Refusal(plan), message);
  }
}

TEST(PlanJson, AValueOfTheWrongTypeOrOutOfItsTypesRangeIsRefused) {
  const struct {
    const char* place;
    json value;
    const char* message;
  } cases[] = {
      {"/seed", -1, "'seed' is of the wrong type"},
      {"/seed", 1.0, "'seed' is of the wrong type"},
      {"/nodes", true, "'nodes' is of the wrong type"},
      {"/nodes", 1.5, "'nodes' is of the wrong type"},
      {"/nodes", 5'000'000'000, "'nodes' is of the wrong type"},
      {"/lease_ns", "500ms", "'lease_ns' is of the wrong type"},
      {"/lease_ns", 1e30, "'lease_ns' is of the wrong type"},
      {"/lease_ns", UINT64_MAX, "'lease_ns' is of the wrong type"},
      {"/direct", 0, "'direct' is of the wrong type"},
      {"/lock", nullptr, "'lock' is of the wrong type"},
      {"/lock_options/ask", 1, "'lock_options' is of the wrong type"},
      {"/lock_options", json::array(), "'lock_options' is of the wrong type"},
      {"/claims", "exclusion", "'claims' is of the wrong type"},
      {"/claims/0", 1, "'claims' is of the wrong type"},
      {"/retry", json::array(), "an object is wanted"},
      {"/retry/jitter", "half", "'jitter' is of the wrong type"},
      {"/faults", nullptr, "'faults' is of the wrong type"},
      {"/faults", json::object(), "'faults' is of the wrong type"},
      {"/faults/1", 5, "fault 2: an object is wanted"},
      {"/faults/0/client", "1", "fault 1: 'client' is of the wrong type"},
      {"/faults/0/nodes/1", 2.5, "fault 1: 'nodes' is of the wrong type"},
      {"/faults/0/on", "client 1 start", "fault 1: an object is wanted"},
      {"/faults/0/on/step", "before-wriet",
       "fault 1: step 'before-wriet' is unknown (did you mean 'before-write'?)"},
  };
  for (const auto& [place, value, message] : cases) {
    json plan = ToJson(FullPlan());
    plan[json::json_pointer(place)] = value;
    EXPECT_EQ(Refusal(plan), message) << place << " = " << value;
  }
  EXPECT_EQ(Refusal(json::array()), "an object is wanted");
}

TEST(PlanJson, AFileThatIsNoPlanIsRefusedInOneLine) {
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
  EXPECT_EQ(ReadPlanFile("/").error().message, "/: a folder; a plan.json is wanted");
}

}  // namespace
}  // namespace doublehold
