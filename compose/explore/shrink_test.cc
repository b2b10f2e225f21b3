// Shrinks executions of known answers. Checks by a search that no smaller execution violates the
// claim.
#include "compose/explore/shrink.h"

#include <gtest/gtest.h>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"
#include "compose/driver/driver.h"
#include "compose/explore/explore.h"
#include "lib/sim/choices/choice_pct.h"
#include "lib/sim/choices/random_walk.h"
#include "lib/testing/case_name.h"

namespace doublehold {
namespace {

using sim::ChoiceKind;
using sim::Deviations;
constexpr Duration kWindow = 2ms;

struct ShrinkCase {
  const char* id;
  const char* lock;
  const char* claim;
  std::vector<FaultForm> faults;
  int clients, cycles, depth;
  // The size of the shrunk execution.
  int least_clients, least_cycles;
  size_t least_choices;
  std::map<std::string, std::string> more{};
};

void PrintTo(const ShrinkCase& each, std::ostream* out) { *out << each.id << " " << each.lock; }

Plan MakeShrinkPlan(const ShrinkCase& each, int clients) {
  Settings settings;
  std::map<std::string, std::string> words{{"lock.name", each.lock},
                                           {"lock.lease", "400ms"},
                                           {"retry.interval", "0.2 lease"},
                                           {"retry.timeout", "4 lease"},
                                           {"workload.clients", std::to_string(clients)},
                                           {"workload.stock", "5"},
                                           {"workload.work", "0.5 lease"},
                                           {"workload.work-distribution", "fixed"},
                                           {"workload.think", "0s"}};
  for (const auto& [name, word] : each.more) words[name] = word;
  for (const auto& [name, word] : words) settings.Set(name, word, "test");
  const Result<Plan> plan = BuildPlan(std::move(settings));
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
  return *plan;
}

bool Violates(const Scenario& scenario, const Deviations& choices, const std::string& claim) {
  sim::GivenChoices given(choices);
  const Execution execution = Simulate(scenario, given);
  const auto checker = std::ranges::find(Checkers(), claim, &CheckerEntry::claim);
  return given.Fits() &&
         checker->check(Evidence(execution.history), {}).outcome == Outcome::kViolated;
}

// Returns whether any execution with at most so many faults and delays violates the claim.
bool FindsViolation(const Scenario& scenario, int faults, int delays, const std::string& claim) {
  const Explored explored =
      Explore(scenario, {.depth = faults, .delays = delays}, [](const Explored&) {});
  return std::ranges::any_of(explored.claims, [&](const Found& found) {
    return found.claim == claim && found.violated > 0;
  });
}

int CountChoices(const Deviations& choices, ChoiceKind kind) {
  return static_cast<int>(std::ranges::count(choices, kind, &sim::Deviation::kind));
}

// Searches every smaller scenario and list of choices with the remaining faults.
void ExpectNothingSmaller(const ShrinkCase& each, const Shrunk& shrunk) {
  const Scenario& scenario = shrunk.scenario;
  const int faults = CountChoices(shrunk.choices, ChoiceKind::kFault);
  const int delays = CountChoices(shrunk.choices, ChoiceKind::kOrder);
  EXPECT_TRUE(Violates(scenario, shrunk.choices, each.claim));
  if (faults > 0) {
    EXPECT_FALSE(FindsViolation(scenario, faults - 1, delays, each.claim)) << "a fault";
  }
  if (delays > 0) {
    EXPECT_FALSE(FindsViolation(scenario, faults, delays - 1, each.claim)) << "a delay";
  }
  if (scenario.cycles > 1) {
    Scenario shorter = scenario;
    --shorter.cycles;
    EXPECT_FALSE(FindsViolation(shorter, faults, delays, each.claim)) << "a cycle";
  }
  if (scenario.plan.clients > 1) {
    Scenario smaller = ScenarioOf(MakeShrinkPlan(each, scenario.plan.clients - 1), scenario.cycles,
                                  scenario.terms.faults);
    smaller.terms.window = scenario.terms.window;
    EXPECT_FALSE(FindsViolation(smaller, faults, delays, each.claim)) << "a client";
  }
}

Shrunk ShrunkFor(const ShrinkCase& each, const Scenario& scenario, const Deviations& choices) {
  return Shrink(scenario, choices, each.claim,
                [&](int clients) { return std::optional(MakeShrinkPlan(each, clients)); });
}

void ExpectLeast(const ShrinkCase& each, const Shrunk& shrunk) {
  EXPECT_EQ(shrunk.scenario.plan.clients, each.least_clients);
  EXPECT_EQ(shrunk.scenario.cycles, each.least_cycles);
  EXPECT_EQ(shrunk.choices.size(), each.least_choices) << ToText(shrunk.choices);
  EXPECT_TRUE(shrunk.is_smallest);
  EXPECT_FALSE(shrunk.sentence.empty());
}

class ShrunkCase : public ::testing::TestWithParam<ShrinkCase> {};

// Shrinks the first violation that a search finds, and a randomly drawn violation with needless
// faults.
TEST_P(ShrunkCase, IsTheSmallest) {
  const ShrinkCase& each = GetParam();
  const Scenario scenario =
      ScenarioOf(MakeShrinkPlan(each, each.clients), each.cycles, each.faults);
  const Explored explored = Explore(scenario, {.depth = each.depth}, [](const Explored&) {});
  const auto found = std::ranges::find(explored.claims, each.claim, &Found::claim);
  ASSERT_NE(found, explored.claims.end());
  ASSERT_GT(found->violated, 0);
  const Shrunk shrunk = ShrunkFor(each, scenario, found->shortest);
  ExpectLeast(each, shrunk);
  ExpectNothingSmaller(each, shrunk);
}

constexpr auto kPause = FaultForm::kPause;

INSTANTIATE_TEST_SUITE_P(
    Each, ShrunkCase,
    ::testing::Values(
        ShrinkCase{"K02",
                   "setnx-getset",
                   "lease-exclusion",
                   {kPause},
                   4,
                   3,
                   0,
                   2,
                   2,
                   0,
                   {{"lock.finally-releases", "true"}, {"retry.timeout", "0.1 lease"}}},
        ShrinkCase{"C04", "none", "stock", {kPause}, 3, 2, 0, 2, 1, 0},
        ShrinkCase{"K14", "set-nx-px", "exclusion", {kPause, FaultForm::kCrash}, 3, 2, 1, 2, 1, 1},
        ShrinkCase{
            "K01", "setnx-expire", "liveness", {FaultForm::kCrash, kPause}, 3, 2, 1, 1, 1, 1},
        ShrinkCase{"K17",
                   "set-nx-px",
                   "lease-exclusion",
                   {FaultForm::kDropReply, FaultForm::kNodeClock},
                   3,
                   2,
                   1,
                   2,
                   1,
                   1},
        ShrinkCase{"K03", "set-nx-px-del", "lease-exclusion", {kPause}, 3, 2, 1, 2, 2, 1},
        ShrinkCase{"K36", "watch", "stock", {FaultForm::kDropReply, kPause}, 3, 1, 1, 1, 1, 1}),
    testing::CaseName());

// The drawn lists have many faults and delays, of which few are needed.
TEST(Shrink, RandomExecutionsShrinkToTheNeededChoices) {
  const ShrinkCase each{"K14", "set-nx-px", "stock", {kPause, FaultForm::kDropReply}, 3, 2, 0,
                        2,     1,           1};
  Scenario scenario = ScenarioOf(MakeShrinkPlan(each, each.clients), each.cycles, each.faults);
  scenario.terms.window = kWindow;
  const Deviations none;
  sim::GivenChoices plain(none);
  (void)Simulate(scenario, plain);
  int shrunk_ones = 0;
  for (uint64_t number = 0; shrunk_ones < 5 && number < 2000; ++number) {
    sim::PctChoices drawn(sim::WithQuestions({.seed = 1, .faults = 3, .delays = 2}, plain.open()));
    drawn.Begin(number);
    (void)Simulate(scenario, drawn);
    if (drawn.deviations().size() < 8 || !Violates(scenario, drawn.deviations(), each.claim))
      continue;
    ++shrunk_ones;
    const Shrunk shrunk = ShrunkFor(each, scenario, drawn.deviations());
    ExpectLeast(each, shrunk);
    EXPECT_EQ(shrunk.scenario.terms.window, Duration{}) << "no order but that of time";
    ExpectNothingSmaller(each, shrunk);
  }
  EXPECT_EQ(shrunk_ones, 5);
}

// With an effort too small for any search, the result still violates the claim. `is_smallest` is
// false.
TEST(Shrink, WithTooLittleEffortDoesNotClaimTheSmallest) {
  const ShrinkCase each{"K14", "set-nx-px", "stock", {kPause}, 3, 2, 1, 2, 1, 1};
  const Scenario scenario =
      ScenarioOf(MakeShrinkPlan(each, each.clients), each.cycles, each.faults);
  const Explored explored = Explore(scenario, {.depth = 1}, [](const Explored&) {});
  const auto found = std::ranges::find(explored.claims, each.claim, &Found::claim);
  const Shrunk shrunk = Shrink(
      scenario, found->shortest, each.claim,
      [&](int clients) { return std::optional(MakeShrinkPlan(each, clients)); }, /*effort=*/100);
  EXPECT_FALSE(shrunk.is_smallest);
  EXPECT_TRUE(Violates(shrunk.scenario, shrunk.choices, each.claim));
}

}  // namespace
}  // namespace doublehold
