// What an exhaustive search leaves out is nothing that any checker could see.
#include <gtest/gtest.h>

#include "compose/testing_explore.h"

namespace doublehold {
namespace {

using sim::SimFault;

Explored Found(const Searched& searched, bool reduce) {
  const Scenario scenario = ScenarioOf(searched);
  const Bounds bounds{.depth = searched.depth, .delays = searched.delays, .reduce = reduce};
  return Explore(scenario, bounds, [](const Explored&) {});
}

std::vector<SimFault> AllFaults() {
  std::vector<SimFault> all;
  for (const sim::SimFaultEntry& entry : sim::kSimFaultEntries) {
    if (!sim::NeedsReplicas(entry.fault)) all.push_back(entry.fault);
  }
  return all;
}

std::vector<Searched> CasesReduction() {
  std::vector<Searched> cases;
  for (const char* lock :
       {"setnx-getset", "set-nx-px", "redisson", "redisson-fair", "fenced", "watch"})
    cases.push_back({.lock = lock, .faults = AllFaults(), .delays = 1});
  const SettingTexts three{{"topology.nodes", "3"}};
  cases.push_back({.lock = "redlock", .faults = AllFaults(), .more = three, .delays = 1});
  cases.push_back({.lock = "redlock", .depth = 0, .more = three, .delays = 2});
  cases.push_back({.lock = "redlock-redisson", .depth = 0, .more = three, .delays = 2});
  cases.push_back({.lock = "set-nx-px",
                   .faults = {SimFault::kPause, SimFault::kNodeClock},
                   .depth = 2,
                   .delays = 1});
  // A fault that strikes what has waited for another client's step.
  for (const char* lock : {"set-nx-px", "redisson"})
    cases.push_back(
        {.lock = lock, .faults = {SimFault::kNodePause, SimFault::kRestart}, .delays = 2});
  cases.push_back(
      {.lock = "set-nx-px-del", .faults = {SimFault::kHoldRequest}, .clients = 3, .delays = 2});
  return cases;
}

TEST(Reduction, LeavesNothingOutThatDiffers) {
  int64_t less = 0;
  for (const Searched& searched : CasesReduction()) {
    const Explored all = Found(searched, false);
    const Explored reduced = Found(searched, true);
    EXPECT_EQ(Violated(reduced), Violated(all)) << searched.lock;
    // Not only the same claims: every history that there is.
    EXPECT_EQ(reduced.different, all.different) << searched.lock;
    EXPECT_EQ(all.left_out, 0) << searched.lock;
    EXPECT_LT(reduced.executions + reduced.left_out, all.executions) << searched.lock;
    less += all.executions - reduced.executions - reduced.left_out;
  }
  EXPECT_GT(less, 10'000);
}

TEST(Reduction, IsOfOrdersAlone) {
  const Searched searched{.lock = "set-nx-px", .faults = AllFaults()};
  const Explored reduced = Found(searched, true);
  EXPECT_EQ(reduced.left_out, 0);
  EXPECT_EQ(reduced.executions, Found(searched, false).executions);
}

}  // namespace
}  // namespace doublehold
