// Tests experiments on real servers in which servers die.
#include <gtest/gtest.h>

#include <fstream>

#include "compose/testing/program.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

struct Ran {
  Finished finished;
  nlohmann::json verdict;
};

// Runs set-nx-px with a lease of 500 ms and these faults.
Ran RunWith(const std::string& faults, const std::string& duration = "1s",
            const std::string& topology = "single") {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "experiment.toml";
  std::ofstream(file) << "[lock]\nname = \"set-nx-px\"\nlease = \"500ms\"\n"
                         "[workload]\nclients = 2\n"
                      << "duration = \"" << duration << "\"\n[topology]\nname = \"" << topology
                      << "\"\n"
                      << faults;
  const std::filesystem::path run = folder.path() / "run";
  Ran ran{.finished = RunProgram({"run", file.string(), "--into", run.string()}), .verdict = {}};
  ran.verdict = ReadJson(run / "verdict.json");
  return ran;
}

TEST(NodeFaults, ALockWhoseOnlyServerStaysDeadViolatesLiveness) {
  const Ran ran =
      RunWith("[[fault]]\nkind = \"crash\"\nnodes = [1]\non = \"client 1 after-acquire\"\n");
  EXPECT_EQ(ran.finished.exit_code, 1) << ran.finished.out << ran.finished.err;
  EXPECT_EQ(FindClaimJson(ran.verdict, "liveness").at("outcome"), "violated");
  EXPECT_EQ(FindClaimJson(ran.verdict, "exclusion").at("count"), 0);
}

// The fault did not act, so a run that requires it is unknown.
TEST(NodeFaults, AFaultOnADeadProcessHasNoEffect) {
  for (const char* late : {"kind = \"pause\"\nfor = \"200ms\"\n", "kind = \"crash\"\n"}) {
    const Ran ran = RunWith(
        std::string("[[fault]]\nkind = \"crash\"\nname = \"first\"\nclient = 2\non = \"client 2 "
                    "after-release\"\n[[fault]]\nname = \"late\"\nclient = 2\nfrom = "
                    "\"600ms\"\n") +
        late);
    EXPECT_EQ(ran.finished.exit_code, 2) << ran.finished.out << ran.finished.err;
    EXPECT_EQ(ran.verdict.at("overall"), "unknown");
    EXPECT_EQ(ran.verdict.at("faults").at(0).at("started"), 1);
    EXPECT_EQ(ran.verdict.at("faults").at(1).at("started"), 0);
    EXPECT_NE(ran.verdict.at("warnings").dump().find("fault 'late'"), std::string::npos)
        << ran.verdict.at("warnings");
    EXPECT_NE(ran.verdict.at("warnings").dump().find("never took effect"), std::string::npos);
  }
}

TEST(NodeFaults, WithoutAStoreTheStockClaimIsUnknown) {
  const Ran ran =
      RunWith("[[fault]]\nkind = \"crash\"\nnodes = [\"store\"]\non = \"client 1 after-write\"\n");
  EXPECT_EQ(ran.finished.exit_code, 2) << ran.finished.out << ran.finished.err;
  EXPECT_EQ(FindClaimJson(ran.verdict, "stock").at("outcome"), "unknown");
}

TEST(NodeFaults, ARestartThatHasNotFinishedAtTheEndOfTheRunDidNotAct) {
  const Ran ran = RunWith(
      "[[fault]]\nname = \"late\"\nkind = \"restart\"\nnodes = [1]\nfor = \"1s\"\n"
      "on = \"client 1 after-release\"\n");
  EXPECT_EQ(ran.finished.exit_code, 2) << ran.finished.out << ran.finished.err;
  EXPECT_EQ(ran.verdict.at("faults").at(0).at("started"), 0);
  // The node is nevertheless restarted before the final probes.
  EXPECT_EQ(FindClaimJson(ran.verdict, "liveness").at("violations").size(), 0u);
}

TEST(NodeFaults, ARestartedNodeKeepsItsSkewedClock) {
  const Ran ran = RunWith(
      "[[fault]]\nkind = \"jump\"\nnodes = [1]\nby = \"40s\"\nfor = \"900ms\"\n"
      "[[fault]]\nkind = \"restart\"\nnodes = [1]\ndata = \"aof\"\non = \"any after-release\"\n");
  EXPECT_EQ(ran.finished.exit_code, 0) << ran.finished.out << ran.finished.err;
  // Measured after the restart: the node's clock is still ahead of the machine's.
  const int64_t ahead_ns = ran.verdict.at("faults").at(0).at("episodes").at(0).at("measured_ns");
  EXPECT_NEAR(static_cast<double>(ahead_ns), 40e9, 1e9);
}

void ExpectAllFired(const Ran& ran) {
  for (const nlohmann::json& fault : ran.verdict.at("faults")) EXPECT_EQ(fault.at("started"), 1);
  EXPECT_EQ(FindClaimJson(ran.verdict, "liveness").at("outcome"), "valid");
}

// Redis Cluster refuses clients for two seconds after a master's start. The lock's key is in a slot
// of node 3.
TEST(NodeFaults, ARestartOfAClusterNodeEndsWhenTheNodeTakesCommandsAgain) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const Ran ran = RunWith(
      "[[fault]]\nkind = \"restart\"\nnodes = [3]\ndata = \"empty\"\n"
      "on = \"client 1 after-release\"\n",
      "8s", "cluster");
  EXPECT_EQ(ran.finished.exit_code, 0) << ran.finished.out << ran.finished.err;
  ExpectAllFired(ran);
  const int64_t down_ns = ran.verdict.at("faults").at(0).at("episodes").at(0).at("measured_ns");
  EXPECT_GE(down_ns, 2'000'000'000);
}

TEST(NodeFaults, TheEndOfARunWaitsForAClusterNodeToRejoin) {
  const Ran ran =
      RunWith("[[fault]]\nkind = \"restart\"\nnodes = [3]\ndata = \"empty\"\nfrom = \"500ms\"\n",
              "1s", "cluster");
  EXPECT_EQ(ran.verdict.at("faults").at(0).at("started"), 0);
  EXPECT_EQ(FindClaimJson(ran.verdict, "liveness").at("violations").size(), 0u);
}

// A planned promotion waits until the replica has all data of its master. A server that restarted
// as a master would never receive the data.
TEST(NodeFaults, ARestartedReplicaIsAReplicaAgain) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  ExpectAllFired(
      RunWith("[[fault]]\nkind = \"restart\"\nnodes = [2]\non = \"client 1 after-release\"\n"
              "[[fault]]\nkind = \"promote\"\nnodes = [2]\nhow = \"planned\"\nfrom = \"2500ms\"\n",
              "8s", "replicated"));
}

TEST(NodeFaults, ARestartedMasterFollowsItsSuccessor) {
  ExpectAllFired(
      RunWith("[[fault]]\nkind = \"restart\"\nnodes = [1]\nfrom = \"400ms\"\nfor = \"500ms\"\n"
              "[[fault]]\nkind = \"promote\"\nname = \"taken\"\nnodes = [2]\nfrom = \"500ms\"\n"
              "[[fault]]\nkind = \"promote\"\nname = \"back\"\nnodes = [1]\nhow = \"planned\"\n"
              "from = \"3s\"\n",
              "8s", "replicated"));
}

TEST(NodeFaults, TheCurrentMasterIsNotPromoted) {
  const Ran ran = RunWith(
      "[[fault]]\nkind = \"promote\"\nname = \"taken\"\nnodes = [2]\nfrom = \"300ms\"\n"
      "[[fault]]\nkind = \"promote\"\nname = \"again\"\nnodes = [2]\nfrom = \"600ms\"\n",
      "1s", "replicated");
  EXPECT_EQ(ran.verdict.at("faults").at(0).at("started"), 1);
  EXPECT_EQ(ran.verdict.at("faults").at(1).at("started"), 0);
}

TEST(NodeFaults, AFaultOnTheLeaderActsOnTheServerThatLeadsAtItsTime) {
  const std::string pause = "[[fault]]\nkind = \"pause\"\nnodes = \"leader\"\nfor = \"100ms\"\n";
  const Ran ran = RunWith(pause + "from = \"200ms\"\n[[fault]]\nkind = \"promote\"\nnodes = [2]\n" +
                              "how = \"planned\"\nfrom = \"600ms\"\n" + pause + "from = \"2s\"\n",
                          "3s", "replicated");
  ExpectAllFired(ran);
  EXPECT_EQ(ran.verdict.at("faults").at(0).at("what"), "the leader stopped at 200ms for 100ms");
  for (const auto& [fault, node] : {std::pair(0, 1), {2, 2}})
    EXPECT_EQ(ran.verdict.at("faults").at(fault).at("episodes").at(0).at("node"), node);
}

// If there are two replicas, the sentinels promote the named replica. The other sentinels do not
// turn the new master back into a replica.
TEST(NodeFaults, SentinelsHandOverToTheReplicaThatIsNamed) {
  for (const char* node : {"3", "2"}) {
    if (node == std::string("2") && !RunsAllTrials()) continue;
    const Ran ran = RunWith("replicas = 2\n[[fault]]\nkind = \"promote\"\nnodes = [" +
                                std::string(node) + "]\nhow = \"planned\"\nfrom = \"500ms\"\n",
                            "5s", "sentinel");
    EXPECT_EQ(ran.finished.exit_code, 0) << ran.finished.out << ran.finished.err;
    ExpectAllFired(ran);
  }
}

}  // namespace
}  // namespace doublehold
