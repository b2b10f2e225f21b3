// What is left of an execution when it is shrunk: nothing of it can be left out.
#include "compose/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "compose/testing_explore.h"

namespace doublehold {
namespace {

using sim::SimFault;

// The first execution in order of choices that violates the claim with exactly so many deviations: not a short one.
std::optional<sim::Deviations> LongStory(const Scenario& scenario, const std::string& claim,
                                         int more, sim::Deviations so_far = {}) {
  sim::GivenChoices given(so_far);
  const Execution execution = Simulate(scenario, given);
  if (more == 0) {
    const RunVerdict verdict = Judge(execution.history);
    const auto found = std::ranges::find(verdict.claims, claim, &ClaimVerdict::claim);
    if (found->outcome == Outcome3::kViolated) return so_far;
    return std::nullopt;
  }
  for (const auto& question : given.open()) {
    if (question.kind != sim::ChoiceKind::kFault) continue;
    so_far.push_back({.at = question.at, .choice = question.count - 1, .kind = question.kind});
    if (auto found = LongStory(scenario, claim, more - 1, so_far)) return found;
    so_far.pop_back();
  }
  return std::nullopt;
}

bool Violates(const Scenario& scenario, const sim::Deviations& choices, const std::string& claim) {
  sim::GivenChoices given(choices);
  const RunVerdict verdict = Judge(Simulate(scenario, given).history);
  return given.Fits() && std::ranges::find(verdict.claims, claim, &ClaimVerdict::claim)->outcome ==
                             Outcome3::kViolated;
}

struct Long {
  const char* name;
  Searched searched;  // `depth`: how many faults the long story has
  const char* claim;
  // What is left.
  size_t faults = 0;
  int clients = 2;
  int cycles = 1;
};
void PrintTo(const Long& of, std::ostream* out) { *out << of.name; }

class Shrinking : public ::testing::TestWithParam<Long> {};

TEST_P(Shrinking, LeavesNothingThatCouldBeLeftOut) {
  const Long& of = GetParam();
  const Scenario scenario = ScenarioOf(of.searched);
  const auto story = LongStory(scenario, of.claim, of.searched.depth);
  ASSERT_TRUE(story.has_value());
  const auto with_clients = [&](int clients) -> std::optional<Plan> {
    Searched fewer = of.searched;
    fewer.clients = clients;
    return PlanOf(fewer);
  };
  const Shrunk shrunk = Shrink(scenario, *story, of.claim, with_clients);
  EXPECT_TRUE(shrunk.is_smallest);
  EXPECT_EQ(shrunk.choices.size(), of.faults);
  EXPECT_EQ(shrunk.scenario.plan.clients, of.clients);
  EXPECT_EQ(shrunk.scenario.cycles, of.cycles);
  EXPECT_FALSE(shrunk.sentence.empty());
  EXPECT_TRUE(Violates(shrunk.scenario, shrunk.choices, of.claim));
  // By trying all that is smaller: with one fault less, with one client less, with one cycle less none violates it.
  const Scenario& small = shrunk.scenario;
  if (of.faults > 0) {
    EXPECT_FALSE(LongStory(small, of.claim, static_cast<int>(of.faults) - 1).has_value());
  }
  if (of.clients > 1) {
    Scenario fewer = small;
    fewer.plan = *with_clients(of.clients - 1);
    fewer.terms.clients = of.clients - 1;
    EXPECT_FALSE(LongStory(fewer, of.claim, static_cast<int>(of.faults)).has_value());
  }
  if (of.cycles > 1) {
    Scenario shorter = small;
    --shorter.cycles;
    EXPECT_FALSE(LongStory(shorter, of.claim, static_cast<int>(of.faults)).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, Shrinking,
    ::testing::Values(
        Long{"none needs no fault",
             {.lock = "none", .faults = {SimFault::kPause}, .depth = 2, .clients = 3, .cycles = 2},
             "exclusion",
             0},
        Long{"K01",
             {.lock = "setnx-expire",
              .faults = {SimFault::kPause, SimFault::kKill},
              .depth = 2,
              .clients = 3},
             "liveness",
             1,
             1},
        Long{"K03",
             {.lock = "set-nx-px-del",
              .faults = {SimFault::kPause},
              .depth = 2,
              .clients = 3,
              .cycles = 2},
             "release",
             1,
             2,
             2},
        Long{"K14",
             {.lock = "set-nx-px",
              .faults = {SimFault::kDropReply, SimFault::kPause},
              .depth = 2,
              .clients = 3},
             "stock",
             1},
        Long{"K17",
             {.lock = "redisson",
              .faults = {SimFault::kHoldReply, SimFault::kNodeClock},
              .depth = 2,
              .clients = 3},
             "lease-exclusion",
             1},
        Long{"K36",
             {.lock = "watch", .faults = {SimFault::kPause, SimFault::kDropReply}, .depth = 2},
             "stock",
             1,
             1}));

TEST(Shrinking, IsTheSameEachTimeAndEndsWhenItsEffortDoes) {
  const Searched searched{
      .lock = "set-nx-px", .faults = {SimFault::kPause}, .depth = 2, .clients = 3};
  const Scenario scenario = ScenarioOf(searched);
  const auto story = *LongStory(scenario, "stock", 2);
  const auto no_fewer = [](int) -> std::optional<Plan> { return std::nullopt; };
  const Shrunk once = Shrink(scenario, story, "stock", no_fewer);
  const Shrunk again = Shrink(scenario, story, "stock", no_fewer);
  EXPECT_EQ(once.choices, again.choices);
  EXPECT_EQ(once.executions, again.executions);
  EXPECT_EQ(once.scenario.plan.clients, 3);
  const Shrunk at_once = Shrink(scenario, story, "stock", no_fewer, /*effort=*/0);
  EXPECT_TRUE(Violates(at_once.scenario, at_once.choices, "stock"));
  EXPECT_FALSE(at_once.is_smallest);
}

}  // namespace
}  // namespace doublehold
