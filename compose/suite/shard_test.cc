// Tests which part of a suite a machine runs, and how the cells are shared out.
#include "compose/suite/shard.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "compose/suite/suite.h"

namespace doublehold {
namespace {

using Variables = std::map<std::string, std::string>;

std::string Read(const std::string& text, const Variables& variables = {}) {
  const Result<Shard> shard =
      ReadShard(text, [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      });
  if (!shard) return shard.error().message;
  return std::to_string(shard->number) + "/" + std::to_string(shard->of);
}

TEST(Shard, ABatchSystemNamesThePart) {
  EXPECT_EQ(Read("3/8"), "3/8");
  EXPECT_EQ(Read("auto/8", {{"JOB_COMPLETION_INDEX", "0"}}), "1/8") << "counted from 0";
  EXPECT_EQ(Read("auto/8", {{"JOB_COMPLETION_INDEX", "7"}}), "8/8");
  EXPECT_EQ(Read("auto/8", {{"SLURM_ARRAY_TASK_ID", "3"}}), "3/8") << "counted from 1";
  EXPECT_EQ(Read("auto", {{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "5"}}), "2/5");
  EXPECT_EQ(Read("auto", {{"CIRCLE_NODE_INDEX", "2"}, {"CIRCLE_NODE_TOTAL", "5"}}), "3/5");
  EXPECT_EQ(Read("auto/5", {{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "9"}}), "2/5")
      << "the number that is given counts";
}

TEST(Shard, WhatDoesNotNameAPartIsRefused) {
  const std::string form = ": must have the form PART/PARTS, such as 3/8, or auto/8";
  for (const char* text : {"", "3", "3of8", "3/", "/8", "a/8", "3/8/2", "auto/", "auto/x"})
    EXPECT_EQ(Read(text, {{"SLURM_ARRAY_TASK_ID", "1"}}), "--shard " + std::string(text) + form);
  EXPECT_EQ(Read("9/8"), "--shard 9/8: the part must be from 1 to 8");
  EXPECT_EQ(Read("0/8"), "--shard 0/8: the part must be from 1 to 8");
  EXPECT_EQ(Read("1/0"), "--shard 1/0: the number of parts must be at least 1");
  EXPECT_EQ(Read("auto/8"), "--shard auto: none of these variables is set: " + ShardVariables() +
                                "; write the part, for example --shard 3/8");
  EXPECT_EQ(Read("auto", {{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "1"}}),
            "--shard auto: Slurm does not give the number of parts; write, for example, --shard "
            "auto/8");
  EXPECT_EQ(Read("auto/8", {{"SLURM_ARRAY_TASK_ID", "0"}}),
            "--shard auto/8: SLURM_ARRAY_TASK_ID is 0, but must be from 1 to 8");
  EXPECT_EQ(Read("auto/8", {{"JOB_COMPLETION_INDEX", "8"}}),
            "--shard auto/8: JOB_COMPLETION_INDEX is 8, but must be from 0 to 7");
  EXPECT_EQ(Read("auto/8", {{"JOB_COMPLETION_INDEX", "one"}}),
            "--shard auto: JOB_COMPLETION_INDEX is 'one', not a number");
  EXPECT_EQ(Read("auto", {{"CI_NODE_INDEX", "1"}}), "--shard auto: CI_NODE_TOTAL is not set");
}

Suite SuiteOf(const std::vector<int>& seconds) {
  Suite suite{.name = "s"};
  for (size_t i = 0; i < seconds.size(); ++i) {
    SuiteCell cell{
        .name = "c" + std::to_string(i), .row = {}, .column = {}, .plan = {}, .settings = {}};
    cell.plan.duration = std::chrono::seconds(seconds[i]);
    suite.cells.push_back(std::move(cell));
  }
  return suite;
}

TEST(Shard, CellsAreSharedOutByTheirPlannedTimes) {
  EXPECT_EQ(ShareOut(PlannedTimes(SuiteOf({1, 9, 4, 4, 1})), 2), (std::vector{1, 1, 2, 2, 2}));
  EXPECT_EQ(ShareOut(PlannedTimes(SuiteOf({5, 5, 5, 5})), 3), (std::vector{1, 2, 3, 1}));
}

TEST(Shard, EachCellBelongsToExactlyOnePart) {
  const Suite suite = SuiteOf({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5});
  for (int of = 1; of <= 11; ++of) {
    std::vector<int> times_taken(suite.cells.size());
    for (int number = 1; number <= of; ++number) {
      Shard shard{.number = number, .of = of};
      ASSERT_TRUE(TakeCells(suite, shard).has_value());
      int taken = 0;
      for (size_t cell = 0; cell < suite.cells.size(); ++cell) {
        taken += shard.Has(cell) ? 1 : 0;
        times_taken[cell] += shard.Has(cell) ? 1 : 0;
      }
      EXPECT_GT(taken, 0) << "no part is empty: " << number << "/" << of;
    }
    EXPECT_EQ(times_taken, std::vector<int>(suite.cells.size(), 1)) << of;
  }
  Shard shard{.number = 12, .of = 12};
  EXPECT_EQ(TakeCells(suite, shard).error().message,
            "--shard 12/12: the suite has only 11 cells; use at most as many parts");
}

TEST(Shard, MeasuredTimesReplaceThePlansWhereThereAreRuns) {
  const Suite suite = SuiteOf({2, 2, 2});
  const nlohmann::json earlier = {{"cells",
                                   {{{"name", "c1"},
                                     {"runs",
                                      {{{"seconds", 5.0}},
                                       {{"seconds", 8.0}},
                                       {{"seconds", 0.0}, {"error", "no such driver"}},
                                       {{"seconds", 1.0}, {"interrupted", true}}}}},
                                    {{"name", "c2"}, {"runs", nlohmann::json::array()}},
                                    {{"name", "gone"}, {"runs", {{{"seconds", 5.0}}}}}}}};
  EXPECT_EQ(MeasuredTimes(suite, earlier), (std::vector<Duration>{3s, 6500ms, 3s}));
}

TEST(Shard, APartTakesAsLongAsTheBusiestOfItsParallelRuns) {
  const std::vector<Duration> times{3s, 5s, 2s, 9s};
  const std::vector<int> part_of{1, 1, 1, 2};
  EXPECT_EQ(TimeOfPart(times, part_of, 1, {}), 10s);
  EXPECT_EQ(TimeOfPart(times, part_of, 1, {.jobs = 2}), 5s);
  EXPECT_EQ(TimeOfPart(times, part_of, 2, {.jobs = 4}), 9s);
  EXPECT_EQ(TimeOfPart(times, part_of, 2, {.repeat = 4, .jobs = 4}), 9s)
      << "the runs of a cell go in parallel";
}

}  // namespace
}  // namespace doublehold
