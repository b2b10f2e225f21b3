// Tests the search: strategies, threads, limits of memory and executions, and messages.
#include <gtest/gtest.h>

#include <set>

#include "compose/driver/driver.h"
#include "compose/explore/estimate.h"
#include "compose/explore/explore.h"
#include "compose/explore/explore_text.h"
#include "compose/explore/strategy.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

Scenario ScenarioWith(const std::string& lock, const std::vector<FaultForm>& faults,
                      int clients = 2, Duration window = {}) {
  Settings settings;
  const std::map<std::string, std::string> words{{"lock.name", lock},
                                                 {"lock.lease", "400ms"},
                                                 {"retry.interval", "0.2 lease"},
                                                 {"retry.timeout", "4 lease"},
                                                 {"workload.clients", std::to_string(clients)},
                                                 {"workload.stock", "5"},
                                                 {"workload.work", "0.5 lease"},
                                                 {"workload.work-distribution", "fixed"},
                                                 {"workload.think", "0s"}};
  for (const auto& [name, word] : words) settings.Set(name, word, "test");
  const Result<Plan> plan = BuildPlan(std::move(settings));
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
  Scenario scenario = ScenarioOf(*plan, /*cycles=*/1, faults);
  scenario.terms.window = window;
  return scenario;
}

void Ignore(const Explored&) {}

const std::vector<FaultForm> kSearchThree{FaultForm::kPause, FaultForm::kHoldRequest,
                                          FaultForm::kNodeClock};

// Returns the result of a search as text, except its duration and progress.
std::string FormatSearch(const Explored& explored) {
  std::string text =
      std::to_string(explored.executions) + " " + std::to_string(explored.different) + " " +
      std::to_string(explored.points_struck) + " of " + std::to_string(explored.points);
  for (const Found& found : explored.claims)
    text += "\n" + found.claim + " " + std::to_string(found.violated) + " " +
            std::to_string(found.unknown) + " " + ToText(found.shortest) + " " + found.sentence;
  return text;
}

struct SearchWay {
  const char* name;
  Bounds bounds;
};

TEST(Search, HasTheSameResultWithAnyNumberOfThreads) {
  const Scenario scenario = ScenarioWith("set-nx-px", kSearchThree, 2, 2ms);
  const SearchWay ways[] = {
      {"exhaustive", {.depth = 1, .delays = 1}},
      {"exhaustive, cut by its budget", {.depth = 1, .delays = 1, .executions = 777}},
      {"random", {.depth = 2, .executions = 1500, .strategy = StrategyKind::kRandom}},
      {"pct", {.depth = 2, .delays = 3, .executions = 1500, .strategy = StrategyKind::kPct}},
  };
  for (const SearchWay& way : ways) {
    Bounds bounds = way.bounds;
    const std::string alone = FormatSearch(Explore(scenario, bounds, Ignore));
    for (const int jobs : {3, 2, 7}) {
      if (jobs != 3 && !RunsAllTrials()) continue;
      bounds.jobs = jobs;
      EXPECT_EQ(FormatSearch(Explore(scenario, bounds, Ignore)), alone) << way.name << ", " << jobs;
    }
  }
}

TEST(Search, EachStrategyFindsAViolationByOneFault) {
  const Scenario scenario = ScenarioWith("set-nx-px", {FaultForm::kNodeClock});
  for (const StrategyKind strategy :
       {StrategyKind::kExhaustive, StrategyKind::kRandom, StrategyKind::kPct}) {
    const Explored explored =
        Explore(scenario, {.depth = 1, .executions = 500, .strategy = strategy}, Ignore);
    EXPECT_EQ(explored.claims.front().claim, "exclusion");
    EXPECT_GT(explored.claims.front().violated, 0);
    EXPECT_EQ(explored.claims.front().shortest.size(), 1u);
    EXPECT_EQ(explored.points_struck, explored.points);
  }
}

TEST(Search, ReportsWhyItEnded) {
  const Scenario scenario = ScenarioWith("set-nx-px", kSearchThree);
  const struct {
    Bounds bounds;
    Ended ended;
    bool is_complete;
  } cases[] = {
      {{.depth = 1}, Ended::kAllRun, true},
      {{.depth = 1, .executions = 10}, Ended::kBudget, false},
      {{.depth = 2, .memory_bytes = 2000}, Ended::kMemory, false},
      {{.depth = 1, .executions = 10, .strategy = StrategyKind::kRandom}, Ended::kBudget, false},
      {{.depth = 1, .executions = 10, .strategy = StrategyKind::kPct}, Ended::kBudget, false},
  };
  for (const auto& each : cases) {
    const Explored explored = Explore(scenario, each.bounds, Ignore);
    EXPECT_EQ(explored.ended, each.ended);
    EXPECT_EQ(explored.is_complete, each.is_complete);
    if (each.ended == Ended::kBudget) {
      EXPECT_EQ(explored.executions, each.bounds.executions);
    }
  }
}

TEST(Search, ItsPartsHaveAllExecutionsWithTheMostFaults) {
  const Scenario scenario = ScenarioWith("set-nx-px", kSearchThree);
  const Explored whole = Explore(scenario, {.depth = 2}, Ignore);
  Level last;
  for (int part = 1; part <= 5; ++part) {
    const Explored explored = Explore(scenario, {.depth = 2, .sample = BlocksOf(part, 5)}, Ignore);
    EXPECT_FALSE(explored.is_complete);
    EXPECT_EQ(explored.levels[1].executions, whole.levels[1].executions);
    EXPECT_GT(explored.levels[2].executions, whole.levels[2].executions / 20);
    last.executions += explored.levels[2].executions;
    last.run += explored.levels[2].run;
  }
  EXPECT_EQ(last.executions, whole.levels[2].executions);
  EXPECT_EQ(last.run, whole.levels[2].run);
}

TEST(Search, EachExecutionIsEqualInItsSecondRun) {
  const Explored explored = Explore(ScenarioWith("redisson", kSearchThree, 2, 2ms),
                                    {.depth = 1, .delays = 1, .run_twice = true}, Ignore);
  EXPECT_TRUE(explored.is_complete);
  EXPECT_GT(explored.executions, 500);
  EXPECT_EQ(explored.unequal, 0);
}

// The latency is changed before the second run, so the two runs differ.
TEST(Search, AnExecutionThatDiffersInItsSecondRunIsReported) {
  Scenario scenario = ScenarioWith("set-nx-px", kSearchThree);
  const Bounds bounds{.depth = 1, .run_twice = true};
  Worker worker(scenario, bounds);
  Done done;
  worker.Run(done);
  EXPECT_TRUE(done.is_equal);
  scenario.terms.latency += 1us;
  worker.RunAgain(done);
  EXPECT_FALSE(done.is_equal);
}

TEST(Estimate, IsExactUpToTwoDeviationsAndCloseForMore) {
  const struct {
    std::vector<FaultForm> faults;
    Bounds bounds;
    double tolerance;
  } cases[] = {
      {{FaultForm::kPause}, {.depth = 0}, 0},
      {kSearchThree, {.depth = 1}, 0},
      {kSearchThree, {.depth = 2}, 0.15},
      {kSearchThree, {.depth = 2, .most = {{FaultForm::kPause, 1}}}, 0.15},
      {{FaultForm::kPause}, {.depth = 3}, 0.3},
      {{FaultForm::kPause}, {.depth = 1, .delays = 1}, 0.15},
  };
  for (const auto& each : cases) {
    const Scenario scenario =
        ScenarioWith("set-nx-px", each.faults, 2, each.bounds.delays > 0 ? 2ms : Duration{});
    const auto all = static_cast<double>(Explore(scenario, each.bounds, Ignore).executions);
    EXPECT_NEAR(EstimateExecutions(scenario, each.bounds), all, all * each.tolerance)
        << each.bounds.depth;
  }
}

TEST(Estimate, ABoundBeyondTheBudgetIsRefusedWithSuggestions) {
  const Scenario scenario = ScenarioWith("set-nx-px", kSearchThree, 2, 2ms);
  const Result<double> refused =
      EstimateWithinBudget(scenario, {.depth = 2, .delays = 1, .executions = 1000});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ExitCode::kBadInput);
  for (const char* part :
       {"executions are within the bounds, but --budget is 1000: --depth 1 has about ",
        "--delay-bound 0 has about ", "draw with --strategy pct"})
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
  EXPECT_TRUE(EstimateWithinBudget(scenario, {.depth = 1, .executions = 1000}).has_value());
  const Result<double> endless = EstimateWithinBudget(scenario, {.depth = 40, .delays = 40});
  ASSERT_FALSE(endless.has_value());
  EXPECT_NE(endless.error().message.find("executions are within the bounds, more than can be run"),
            std::string::npos)
      << endless.error().message;
  EXPECT_TRUE(EstimateWithinBudget(scenario, {.depth = 2, .delays = 1}).has_value());
}

TEST(Estimate, ProgressShowsTheTimeLeftUpToTheEstimate) {
  Explored so_far;
  so_far.executions = 200;
  const std::string text = ProgressText(so_far, {.depth = 2}, 1000, 10);
  EXPECT_TRUE(text.starts_with("200 executions, 20/s, about 40 s left; with ")) << text;
  const std::string beyond = ProgressText(so_far, {.depth = 2}, 100, 10);
  EXPECT_TRUE(beyond.starts_with("200 executions, 20/s; with ")) << beyond;
}

}  // namespace
}  // namespace doublehold
