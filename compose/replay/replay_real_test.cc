// Replays simulated executions on real servers with the whole program. Tests that both worlds give
// the same outcomes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "compose/testing/program.h"

namespace doublehold {
namespace {

struct InBothWorlds {
  std::string name;
  std::string settings;
  std::string rest;                             // the rest of the replay string
  std::map<std::string, std::string> outcomes;  // outcomes of claims in both worlds
};

const std::string kSettings =
    "v1/lock.lease=400ms;retry.interval=0.2 lease;retry.timeout=4 "
    "lease;workload.clients=2;workload.stock=5;workload.think=0s;"
    "workload.work=0.5 lease;workload.work-distribution=fixed;lock.name=";

void PrintTo(const InBothWorlds& each, std::ostream* out) { *out << each.name; }

class ReplayReal : public ::testing::TestWithParam<InBothWorlds> {};

TEST_P(ReplayReal, HasTheSameOutcomesInBothWorlds) {
  const TestFolder folder;
  const Finished finished = RunProgram({"replay", kSettings + GetParam().settings + GetParam().rest,
                                        "--real", "--out", (folder.path() / "runs").string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  const size_t table = finished.out.rfind("claim                   simulated  real\n");
  ASSERT_NE(table, std::string::npos) << finished.out;
  for (const auto& [claim, outcome] : GetParam().outcomes) {
    const std::string row = fmt::format("\n{:<24}{:<11}{}\n", claim, outcome, outcome);
    EXPECT_NE(finished.out.find(row, table), std::string::npos) << finished.out;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Executions, ReplayReal,
    ::testing::Values(
        InBothWorlds{"Plain", "set-nx-px", "/1//", {{"exclusion", "valid"}, {"stock", "valid"}}},
        InBothWorlds{"APauseOfTheHolder",
                     "set-nx-px",
                     "/1/pause/10:1",
                     {{"exclusion", "violated"}, {"stock", "violated"}}},
        InBothWorlds{"AWriteOnItsWay",
                     "set-nx-px",
                     "/1/hold-request/6:1",
                     {{"exclusion", "violated"}, {"stock", "violated"}}},
        InBothWorlds{
            "AKillBetweenTwoCommands", "setnx-expire", "/1/crash/0:1", {{"liveness", "violated"}}},
        InBothWorlds{"ANodeWhoseClockJumps",
                     "set-nx-px",
                     "/1/node-clock/1:1",
                     {{"lease-exclusion", "violated"}, {"stock", "violated"}}}),
    [](const ::testing::TestParamInfo<InBothWorlds>& each) { return each.param.name; });

}  // namespace
}  // namespace doublehold
