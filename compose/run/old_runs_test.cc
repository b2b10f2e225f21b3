// Tests that runs of version 0.1.0, whose files lack the traits of faults and locks, still get the
// same verdict, except for members that were added later.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checker/judge.h"
#include "compose/os/run_folder.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/service_rules.h"
#include "lib/base/paths.h"
#include "lib/plan/plan_json.h"

namespace doublehold {
namespace {

// Removes the members of claims that version 0.1.0 did not write, and restores the old name of a
// member.
nlohmann::json WithoutNewMembers(nlohmann::json claims) {
  for (nlohmann::json& claim : claims) {
    EXPECT_EQ(claim.erase("title") + claim.erase("meaning") + claim.erase("other_cause"), 3U);
    for (nlohmann::json& margin : claim.at("margins"))
      EXPECT_EQ(margin.erase("below_zero") + margin.erase("histogram"), 2U);
    for (nlohmann::json& violation : claim.at("violations")) {
      EXPECT_EQ(violation.erase("lanes") + violation.erase("times_ns"), 2U);
      violation["untold"] = violation.at("undescribed");
      violation.erase("undescribed");
      for (nlohmann::json& step : violation.at("steps"))
        EXPECT_EQ(step.erase("who") + step.erase("what"), 2U);
    }
  }
  return claims;
}

TEST(OldRuns, HaveTheSameVerdictAsBefore) {
  const std::filesystem::path folder =
      std::filesystem::path(SourceDir()) / "compose/testdata/version-0.1.0";
  size_t seen = 0;
  for (const auto& run : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(run.path().filename());
    Result<Plan> plan = ReadPlanFile(run.path() / "plan.json");
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    AddStore(*plan);
    const Result<void> can_run = CheckPlan(*plan, "plan.json");
    EXPECT_TRUE(can_run.has_value()) << can_run.error().message;
    const Result<History> history = ReadHistory(run.path());
    ASSERT_TRUE(history.has_value()) << history.error().message;
    EXPECT_FALSE(history->facts.lock_traits.has_value());
    std::ifstream in(run.path() / "verdict.json");
    const nlohmann::json was = nlohmann::json::parse(in);
    EXPECT_EQ(WithoutNewMembers(ToJson(Judge(*history)).at("claims")), was.at("claims"));
    ++seen;
  }
  EXPECT_EQ(seen, 5U);
}

}  // namespace
}  // namespace doublehold
