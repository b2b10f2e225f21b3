#include "compose/replay/nearest_safe.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "compose/explore/testing_explore.h"

namespace doublehold {
namespace {

struct NearestSafeCase {
  const char* name;
  const char* choices;
  std::optional<std::string> safe;   // the choices of the nearest safe execution
  std::vector<std::string> without;  // the faults that it leaves out
};

void PrintTo(const NearestSafeCase& each, std::ostream* out) { *out << each.name; }

class NearestSafe : public ::testing::TestWithParam<NearestSafeCase> {};

TEST_P(NearestSafe, IsTheLongestPrefixThatViolatesNothing) {
  const Searched searched{.lock = "set-nx-px", .faults = {FaultForm::kPause}};
  ReplayString replay;
  replay.faults = searched.faults;
  replay.choices = *sim::ParseDeviations(GetParam().choices);
  const Scenario scenario = ScenarioOf(searched);
  sim::GivenChoices given(replay.choices);
  const RunVerdict verdict = Judge(Simulate(scenario, given).history);
  const auto safe = FindNearestSafe(replay, scenario, verdict);
  ASSERT_EQ(safe.has_value(), GetParam().safe.has_value());
  if (!safe) return;
  EXPECT_EQ(sim::ToText(safe->replay.choices), *GetParam().safe);
  EXPECT_EQ(safe->without, GetParam().without);
  EXPECT_FALSE(safe->steps.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Every, NearestSafe,
    ::testing::Values(
        NearestSafeCase{"OnePauseViolates", "3:1", "", {"client 1 stopped for 640ms"}},
        NearestSafeCase{"TheSecondPauseViolates", "2:1-5:1", "2:1", {"client 1 stopped for 640ms"}},
        NearestSafeCase{"NoFault", "", std::nullopt, {}},
        NearestSafeCase{"APauseThatViolatesNothing", "2:1", std::nullopt, {}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace doublehold
