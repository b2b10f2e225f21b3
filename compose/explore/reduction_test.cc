// Tests that an exhaustive search with reduction finds every history that a checker can
// distinguish.
#include <gtest/gtest.h>

#include <algorithm>

#include "compose/explore/testing_explore.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

Explored Found(const Searched& searched, bool reduce) {
  const Scenario scenario = ScenarioOf(searched);
  const Bounds bounds{.depth = searched.depth, .delays = searched.delays, .reduce = reduce};
  return Explore(scenario, bounds, [](const Explored&) {});
}

std::vector<FaultForm> AllFaults() {
  std::vector<FaultForm> all;
  for (const FaultFormEntry& entry : kFaultForms) {
    if (entry.site != FaultSite::kMasters) all.push_back(entry.form);
  }
  return all;
}

const SettingTexts kThreeNodes{{"topology.nodes", "3"}};

// Cases that take less than a second.
std::vector<Searched> SmallCases() {
  return {
      {.lock = "set-nx-px", .faults = AllFaults(), .delays = 1},
      {.lock = "redlock", .depth = 0, .more = kThreeNodes, .delays = 2},
      {.lock = "redlock-redisson", .depth = 0, .more = kThreeNodes, .delays = 2},
      // A fault begins at an event that was deferred behind another client's step.
      {.lock = "set-nx-px",
       .faults = {FaultForm::kNodePause, FaultForm::kRestartWithData},
       .delays = 2},
      {.lock = "zookeeper", .depth = 0, .more = {{"workload.name", "cycle"}}, .delays = 2},
      {.lock = "etcd",
       .depth = 0,
       .more = {{"lock.lease", "1s"}, {"workload.name", "cycle"}},
       .delays = 2},
      // A reset frees the lock of a session.
      {.lock = "postgres-advisory",
       .faults = {FaultForm::kResetRequest, FaultForm::kResetReply},
       .more = {{"workload.name", "cycle"}},
       .delays = 2},
      {.lock = "set-nx-px-del", .faults = {FaultForm::kHoldRequest}, .clients = 3, .delays = 2}};
}

std::vector<Searched> LargeCases() {
  std::vector<Searched> cases;
  for (const char* lock : {"setnx-getset", "redisson", "redisson-fair", "fenced", "watch"})
    cases.push_back({.lock = lock, .faults = AllFaults(), .delays = 1});
  cases.push_back({.lock = "zookeeper",
                   .faults = {FaultForm::kPause, FaultForm::kHoldRequest, FaultForm::kHoldReply,
                              FaultForm::kResetRequest, FaultForm::kRestartWithData},
                   .delays = 1});
  cases.push_back({.lock = "etcd",
                   .faults = {FaultForm::kPause, FaultForm::kHoldRequest, FaultForm::kHoldReply,
                              FaultForm::kResetRequest, FaultForm::kRestartWithData},
                   .more = {{"lock.lease", "1s"}},
                   .delays = 1});
  cases.push_back(
      {.lock = "etcd-lock-api", .depth = 0, .more = {{"lock.lease", "1s"}}, .delays = 2});
  for (const char* lock : {"postgres-advisory", "postgres-lease"})
    cases.push_back({.lock = lock, .faults = AllFaults(), .delays = 1});
  cases.push_back({.lock = "redlock", .faults = AllFaults(), .more = kThreeNodes, .delays = 1});
  cases.push_back({.lock = "set-nx-px",
                   .faults = {FaultForm::kPause, FaultForm::kNodeClock},
                   .depth = 2,
                   .delays = 1});
  cases.push_back({.lock = "redisson",
                   .faults = {FaultForm::kNodePause, FaultForm::kRestartWithData},
                   .delays = 2});
  return cases;
}

class ReductionOf : public ::testing::TestWithParam<Searched> {};

TEST_P(ReductionOf, KeepsEveryDistinctHistory) {
  const Searched& searched = GetParam();
  const Explored all = Found(searched, false);
  const Explored reduced = Found(searched, true);
  EXPECT_EQ(Violated(reduced), Violated(all));
  // The reduced search has the same number of distinct histories, and not only the same claims.
  EXPECT_EQ(reduced.different, all.different);
  EXPECT_EQ(all.left_out, 0);
  const int64_t saved = all.executions - reduced.executions - reduced.left_out;
  EXPECT_GT(saved, all.executions / 8);
}

std::string NameForReduction(const ::testing::TestParamInfo<Searched>& info) {
  std::string name = info.param.lock + "_" + std::to_string(info.index);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Small, ReductionOf, ::testing::ValuesIn(SmallCases()), NameForReduction);
INSTANTIATE_TEST_SUITE_P(Large, ReductionOf,
                         ::testing::ValuesIn(RunsAllTrials() ? LargeCases()
                                                             : std::vector<Searched>{}),
                         NameForReduction);

TEST(Reduction, SkipsNothingWithoutReordering) {
  const Searched searched{.lock = "set-nx-px", .faults = AllFaults()};
  const Explored reduced = Found(searched, true);
  EXPECT_EQ(reduced.left_out, 0);
  EXPECT_EQ(reduced.executions, Found(searched, false).executions);
}

}  // namespace
}  // namespace doublehold
