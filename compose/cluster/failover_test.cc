// Runs the failover cells of suites/failures.toml on real servers. Checks each cell's expectations,
// and the details that distinguish its case from the others.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "compose/run/run_once.h"
#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

namespace fs = std::filesystem;

struct FailoverCell {
  Finished finished;
  nlohmann::json verdict;
  std::set<std::string> logs;  // names of the servers' logs
};

FailoverCell RunCell(const std::string& row, const std::string& column) {
  const TestFolder folder;
  FailoverCell cell{
      .finished = RunProgram({"suite", SourceDir() + "/compose/suites/failures.toml", "--only",
                              row + "/" + column, "--out", folder.path().string()}),
      .verdict = {},
      .logs = {}};
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.path().filename() == "verdict.json") cell.verdict = ReadJson(entry.path());
    if (entry.path().parent_path().filename() == "nodes")
      cell.logs.insert(entry.path().stem().string());
  }
  return cell;
}

void ExpectAsExpectedFailover(const FailoverCell& cell) {
  EXPECT_EQ(cell.finished.exit_code, 0) << cell.finished.out << cell.finished.err;
}

// The new master granted client 2 the lock while client 1's lease from the old master was still
// valid.
void ExpectGrantedTwice(const FailoverCell& cell) {
  ExpectAsExpectedFailover(cell);
  const nlohmann::json judged = FindClaimJson(cell.verdict, "lease-exclusion");
  ASSERT_FALSE(judged.at("violations").empty());
  EXPECT_EQ(judged["violations"][0].at("fault"), "promoted");
}

TEST(Failover, K19_AGrantThatNoReplicaHasIsLostWithThePrimary) {
  for (const char* lock : {"set-nx-px", "redisson"}) {
    if (lock == std::string("redisson") && !RunsAllTrials()) continue;
    const FailoverCell cell = RunCell(lock, "K19");
    ExpectGrantedTwice(cell);
    EXPECT_EQ(cell.logs, (std::set<std::string>{"store", "node-1", "node-2", "node-3"}));
  }
}

TEST(Failover, K19_WithWaitAGrantThatNoReplicaHasIsRefused) {
  ExpectAsExpectedFailover(RunCell("set-nx-px wait-replicas", "K19 wait"));
  if (!RunsAllTrials()) return;
  ExpectAsExpectedFailover(RunCell("redisson wait-replicas", "K19 wait"));
}

TEST(Failover, K19_WaitDoesNotDetermineWhichReplicaTakesOver) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  ExpectGrantedTwice(RunCell("set-nx-px wait-replicas", "K19 wait other"));
}

TEST(Failover, APlannedFailoverKeepsTheGrants) {
  ExpectAsExpectedFailover(RunCell("redisson", "handover"));
  ExpectAsExpectedFailover(RunCell("set-nx-px", "cluster handover"));
}

TEST(Failover, SentinelsPromoteAReplicaWithoutTheGrant) {
  const FailoverCell cell = RunCell("set-nx-px", "sentinel K19");
  ExpectGrantedTwice(cell);
  EXPECT_EQ(cell.logs, (std::set<std::string>{"store", "node-1", "node-2", "sentinel-1",
                                              "sentinel-2", "sentinel-3"}));
}

TEST(Failover, SentinelsPromoteAReplicaThatHasTheGrant) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  ExpectAsExpectedFailover(RunCell("redisson", "sentinel replicated"));
}

TEST(Failover, AClusterVotesForAReplicaWithoutTheGrant) {
  const FailoverCell cell = RunCell("redisson", "cluster K19");
  ExpectGrantedTwice(cell);
  EXPECT_TRUE(cell.logs.contains("node-6"));
}

TEST(Failover, AClusterMasterThatRestartsEmptyGrantsTwice) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const FailoverCell cell = RunCell("set-nx-px", "cluster K18");
  ExpectAsExpectedFailover(cell);
  const nlohmann::json judged = FindClaimJson(cell.verdict, "lease-exclusion");
  ASSERT_FALSE(judged.at("violations").empty());
}

TEST(Failover, AClusterMasterGrantsNothingForTwoSecondsAfterItsRestart) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  ExpectAsExpectedFailover(RunCell("set-nx-px", "cluster restart"));
}

TEST(Failover, AClusterVotesForAReplicaThatHasTheGrant) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  ExpectAsExpectedFailover(RunCell("set-nx-px", "cluster replicated"));
}

}  // namespace
}  // namespace doublehold
