// What becomes of a run whose servers die: each is an experiment on real servers.
#include <gtest/gtest.h>

#include <fstream>

#include "compose/testing/program.h"

namespace doublehold {
namespace {

struct Ran {
  Finished finished;
  nlohmann::json verdict;
};

// set-nx-px with a lease of 500 ms, and these faults.
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

TEST(NodeFaults, ALockWhoseOnlyServerIsDeadForGoodIsNotLive) {
  const Ran ran =
      RunWith("[[fault]]\nkind = \"crash\"\nnodes = [1]\non = \"client 1 after-acquire\"\n");
  EXPECT_EQ(ran.finished.exit_code, 1) << ran.finished.out << ran.finished.err;
  EXPECT_EQ(ClaimOf(ran.verdict, "liveness").at("outcome"), "violated");
  EXPECT_EQ(ClaimOf(ran.verdict, "exclusion").at("count"), 0);
}

// A cell that needs such a fault is not valid: nothing happened.
TEST(NodeFaults, WhatIsDoneToTheDeadDoesNotTakeEffect) {
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

TEST(NodeFaults, WithoutAStoreNothingIsKnownOfTheStock) {
  const Ran ran =
      RunWith("[[fault]]\nkind = \"crash\"\nnodes = [\"store\"]\non = \"client 1 after-write\"\n");
  EXPECT_EQ(ran.finished.exit_code, 2) << ran.finished.out << ran.finished.err;
  EXPECT_EQ(ClaimOf(ran.verdict, "stock").at("outcome"), "unknown");
}

TEST(NodeFaults, ANodeThatIsNotBackWhileTheRunGoesOnWasNotRestarted) {
  const Ran ran = RunWith(
      "[[fault]]\nname = \"late\"\nkind = \"restart\"\nnodes = [1]\nfor = \"1s\"\n"
      "on = \"client 1 after-release\"\n");
  EXPECT_EQ(ran.finished.exit_code, 2) << ran.finished.out << ran.finished.err;
  EXPECT_EQ(ran.verdict.at("faults").at(0).at("started"), 0);
  // It is there for the last look all the same.
  EXPECT_EQ(ClaimOf(ran.verdict, "liveness").at("violations").size(), 0u);
}

TEST(NodeFaults, ANodeComesBackIntoTheTimeThatItWasIn) {
  const Ran ran = RunWith(
      "[[fault]]\nkind = \"jump\"\nnodes = [1]\nby = \"40s\"\nfor = \"900ms\"\n"
      "[[fault]]\nkind = \"restart\"\nnodes = [1]\ndata = \"aof\"\non = \"any after-release\"\n");
  EXPECT_EQ(ran.finished.exit_code, 0) << ran.finished.out << ran.finished.err;
  // Asked after the restart: so far it is ahead of the machine.
  const int64_t ahead_ns = ran.verdict.at("faults").at(0).at("episodes").at(0).at("measured_ns");
  EXPECT_NEAR(static_cast<double>(ahead_ns), 40e9, 1e9);
}

void ExpectAllFired(const Ran& ran) {
  for (const nlohmann::json& fault : ran.verdict.at("faults")) EXPECT_EQ(fault.at("started"), 1);
  EXPECT_EQ(ClaimOf(ran.verdict, "liveness").at("outcome"), "valid");
}

// Redis keeps a master from its clients for two seconds after its start; the key is in a slot of
// node 3.
TEST(NodeFaults, ANodeOfAClusterIsBackWhenItTakesCommandsAgain) {
  const Ran ran = RunWith(
      "[[fault]]\nkind = \"restart\"\nnodes = [3]\ndata = \"empty\"\n"
      "on = \"client 1 after-release\"\n",
      "8s", "cluster");
  EXPECT_EQ(ran.finished.exit_code, 0) << ran.finished.out << ran.finished.err;
  ExpectAllFired(ran);
  const int64_t down_ns = ran.verdict.at("faults").at(0).at("episodes").at(0).at("measured_ns");
  EXPECT_GE(down_ns, 2'000'000'000);
}

TEST(NodeFaults, ANodeOfAClusterThatIsBackJustAtTheEndIsWaitedFor) {
  const Ran ran =
      RunWith("[[fault]]\nkind = \"restart\"\nnodes = [3]\ndata = \"empty\"\nfrom = \"500ms\"\n",
              "1s", "cluster");
  EXPECT_EQ(ran.verdict.at("faults").at(0).at("started"), 0);
  EXPECT_EQ(ClaimOf(ran.verdict, "liveness").at("violations").size(), 0u);
}

// A planned promotion waits until the replica has all that its master has: of one that is its own
// master it never would.
TEST(NodeFaults, AReplicaThatComesBackIsAReplicaAgain) {
  ExpectAllFired(
      RunWith("[[fault]]\nkind = \"restart\"\nnodes = [2]\non = \"client 1 after-release\"\n"
              "[[fault]]\nkind = \"promote\"\nnodes = [2]\nhow = \"planned\"\nfrom = \"2500ms\"\n",
              "8s", "replicated"));
}

TEST(NodeFaults, AMasterThatComesBackFollowsTheOneThatTookItsPlace) {
  ExpectAllFired(
      RunWith("[[fault]]\nkind = \"restart\"\nnodes = [1]\nfrom = \"400ms\"\nfor = \"500ms\"\n"
              "[[fault]]\nkind = \"promote\"\nname = \"taken\"\nnodes = [2]\nfrom = \"500ms\"\n"
              "[[fault]]\nkind = \"promote\"\nname = \"back\"\nnodes = [1]\nhow = \"planned\"\n"
              "from = \"3s\"\n",
              "8s", "replicated"));
}

TEST(NodeFaults, WhatIsTheMasterAlreadyIsNotPromoted) {
  const Ran ran = RunWith(
      "[[fault]]\nkind = \"promote\"\nname = \"taken\"\nnodes = [2]\nfrom = \"300ms\"\n"
      "[[fault]]\nkind = \"promote\"\nname = \"again\"\nnodes = [2]\nfrom = \"600ms\"\n",
      "1s", "replicated");
  EXPECT_EQ(ran.verdict.at("faults").at(0).at("started"), 1);
  EXPECT_EQ(ran.verdict.at("faults").at(1).at("started"), 0);
}

// The sentinels that did not ask for it take no master for a replica that has strayed; and of two
// they take the one meant.
TEST(NodeFaults, SentinelsHandOverToTheReplicaThatIsNamed) {
  for (const char* node : {"2", "3"}) {
    const Ran ran = RunWith("replicas = 2\n[[fault]]\nkind = \"promote\"\nnodes = [" +
                                std::string(node) + "]\nhow = \"planned\"\nfrom = \"500ms\"\n",
                            "5s", "sentinel");
    EXPECT_EQ(ran.finished.exit_code, 0) << ran.finished.out << ran.finished.err;
    ExpectAllFired(ran);
  }
}

}  // namespace
}  // namespace doublehold
