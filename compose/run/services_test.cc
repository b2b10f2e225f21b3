// One cell of each service in compose/suites/services.toml, on real servers. The whole suite is
// part of `make test-all`.
#include <gtest/gtest.h>

#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/base/result.h"
#include "lib/testing/case_name.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

class ServicesOnServers : public ::testing::TestWithParam<const char*> {};

// Expects that each claim of a cell has the outcome that the suite states.
void ExpectCellAsStated(const std::string& cell) {
  const TestFolder folder;
  const Finished finished = RunProgram({"suite", SourceDir() + "/compose/suites/services.toml",
                                        "--only", cell, "--out", folder.path().string()});
  if (finished.exit_code == static_cast<int>(ExitCode::kEnvironment))
    GTEST_SKIP() << finished.out << finished.err;
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
}

TEST_P(ServicesOnServers, AHolderThatIsStoppedPastItsSessionWritesTooLate) {
  if (GetParam() != std::string("etcd") && !RunsAllTrials()) GTEST_SKIP() << kVariation;
  ExpectCellAsStated(GetParam() + std::string("/pause"));
}

TEST(EnsemblesOnServers, TheLockSurvivesItsLeader) {
  ExpectCellAsStated("zookeeper/leader down");
  if (RunsAllTrials()) ExpectCellAsStated("etcd/leader down");
}

TEST(ZooKeeperOnServers, ASessionDoesNotDependOnTheWallClockOfItsServer) {
  ExpectCellAsStated("zookeeper/clock");
}

TEST(MariaDbOnServers, AHolderThatIsStoppedKeepsItsLockOnOneServer) {
  ExpectCellAsStated("mariadb-get-lock/pause");
}

TEST(MariaDbOnServers, AFaultOfALinkNamesAStatement) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "experiment.toml";
  WriteFile(file,
            "[lock]\nname = \"mariadb-get-lock\"\n[workload]\nduration = \"1s\"\n"
            "[[fault]]\nkind = \"reset\"\nclient = 1\nnodes = [1]\ncommand = \"SELECT\"\n"
            "direction = \"reply\"\nfrom = \"200ms\"\ncount = 1\n");
  const Finished finished =
      RunProgram({"run", file.string(), "--into", (folder.path() / "run").string()});
  if (finished.exit_code == static_cast<int>(ExitCode::kEnvironment))
    GTEST_SKIP() << finished.out << finished.err;
  const nlohmann::json verdict = ReadJson(folder.path() / "run" / "verdict.json");
  EXPECT_EQ(verdict.at("faults").at(0).at("started"), 1) << verdict.dump();
}

TEST(MariaDbOnServers, TwoGaleraWritersGrantTheLockAtOnceWithoutAFault) {
  ExpectCellAsStated("mariadb-get-lock/two writers");
}

INSTANTIATE_TEST_SUITE_P(Each, ServicesOnServers,
                         ::testing::Values("zookeeper", "etcd", "postgres-lease"),
                         testing::CaseName());

}  // namespace
}  // namespace doublehold
