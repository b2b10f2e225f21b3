#include "compose/explore/timing_dependence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/judge.h"
#include "compose/explore/shrink.h"
#include "compose/explore/testing_explore.h"

namespace doublehold {
namespace {

Outcome JudgeOutcome(const Scenario& scenario, const sim::Deviations& choices,
                     std::string_view claim) {
  sim::GivenChoices given(choices);
  const Execution execution = Simulate(scenario, given);
  EXPECT_TRUE(given.Fits());
  return FindChecker(claim)->check(Evidence(execution.history), {}).outcome;
}

struct TimingCase {
  const char* choices;
  const char* claim;
  Outcome outcome;
  // TimingDependence::on and its outcome. Empty if the outcome does not depend on short times.
  const char* dependence;
};

TEST(TimingDependence, OutcomesAreStableOrDependOnShortTimes) {
  const Scenario scenario = ScenarioOf({.lock = "set-nx-px", .faults = {FaultForm::kPause}});
  const std::vector<TimingCase> cases{
      {"", "stock", Outcome::kValid, ""},
      // Client 1 is stopped when it is granted the key. Client 2 is refused 0.6 ms before client
      // 1's lease expires.
      {"0:1", "stock", Outcome::kViolated, "messages that take 250us: valid"},
      {"0:1", "exclusion", Outcome::kViolated, "messages that take 250us: valid"},
      // Client 1 is stopped while it holds the lock.
      {"1:1", "exclusion", Outcome::kViolated, ""},
      {"3:1", "stock", Outcome::kViolated, ""},
  };
  for (const TimingCase& each : cases) {
    const auto choices = sim::ParseDeviations(each.choices);
    ASSERT_TRUE(choices.has_value());
    EXPECT_EQ(JudgeOutcome(scenario, *choices, each.claim), each.outcome) << each.choices;
    const auto dependence =
        FindTimingDependence(scenario, *choices, *FindChecker(each.claim), each.outcome);
    EXPECT_EQ(dependence ? fmt::format("{}: {}", dependence->on, Name(dependence->outcome)) : "",
              each.dependence)
        << each.choices << ' ' << each.claim;
  }
}

// A referee that has nothing to read records no event. The checkers must not take such a run for a
// shortened run.
TEST(Simulate, ARunLastsNoLongerThanItsLastEvent) {
  for (const char* workload : {"nested", "queue", "inventory"}) {
    const Scenario scenario =
        ScenarioOf({.lock = "redisson-fair", .more = {{"workload.name", workload}}});
    sim::GivenChoices given({});
    const RunVerdict verdict = Judge(Simulate(scenario, given).history);
    for (const ClaimVerdict& claim : verdict.claims)
      EXPECT_EQ(claim.reason.find("before its planned"), std::string::npos) << claim.reason;
    ASSERT_FALSE(verdict.claims.empty());
  }
}

// A real server has no scripts when it starts either.
TEST(Simulate, NoServerHasAScriptLoadedAtTheStart) {
  for (const auto& [limit, outcome] :
       {std::pair("1", Outcome::kViolated), std::pair("2", Outcome::kValid)}) {
    const Scenario scenario = ScenarioOf(
        {.lock = "set-nx-px",
         .more = {{"claims", "commands-per-hold"}, {"limits.commands-per-hold", limit}}});
    sim::GivenChoices given({});
    const RunVerdict verdict = Judge(Simulate(scenario, given).history);
    EXPECT_EQ(verdict.claims.at(0).outcome, outcome)
        << limit << ": " << verdict.claims.at(0).reason;
  }
}

TEST(TimingDependence, ExecutionsWithDelaysAreNotChecked) {
  const Scenario scenario = ScenarioOf({.lock = "set-nx-px", .faults = {}, .delays = 1});
  sim::Deviations choices{{.at = 0, .choice = 1, .kind = sim::ChoiceKind::kOrder}};
  EXPECT_FALSE(FindTimingDependence(scenario, choices, *FindChecker("stock"), Outcome::kViolated));
}

TEST(TimingDependence, ShrinkPrefersATimingIndependentExecutionOfEqualSize) {
  const Scenario scenario = ScenarioOf({.lock = "set-nx-px", .faults = {FaultForm::kPause}});
  const auto dependences = sim::ParseDeviations("0:1");
  ASSERT_TRUE(dependences.has_value());
  for (const char* claim : {"exclusion", "stock"}) {
    const Shrunk shrunk = Shrink(scenario, *dependences, claim,
                                 [](int) -> std::optional<Plan> { return std::nullopt; });
    EXPECT_TRUE(shrunk.is_smallest);
    EXPECT_EQ(shrunk.choices.size(), 1u);
    EXPECT_FALSE(FindTimingDependence(shrunk.scenario, shrunk.choices, *FindChecker(claim),
                                      Outcome::kViolated))
        << claim << ' ' << sim::ToText(shrunk.choices);
  }
}

}  // namespace
}  // namespace doublehold
