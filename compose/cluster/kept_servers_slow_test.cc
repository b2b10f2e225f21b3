// Installs each server that has a name, and runs a lock on it under a clock that jumps. Skipped
// without a package registry.
#include <gtest/gtest.h>

#include "compose/cluster/kept_servers.h"
#include "compose/testing/program.h"
#include "lib/testing/case_name.h"

namespace doublehold {
namespace {

class EachServer : public ::testing::TestWithParam<const char*> {};

TEST_P(EachServer, IsJudgedLikeTheUsualOne) {
  if (const Result<std::string> path = InstallServer(GetParam()); !path)
    GTEST_SKIP() << path.error().message;
  const TestFolder folder;
  const auto run = [&](const std::string& faults) {
    const std::string out = (folder.path() / ("run-" + faults)).string();
    std::vector<std::string> words{"run",      "--lock",     "set-nx-px", "--server",
                                   GetParam(), "--lease",    "1s",        "--into",
                                   out,        "--duration", "5s"};
    if (!faults.empty()) words.insert(words.end(), {"--faults", faults});
    const Finished finished = RunProgram(words);
    EXPECT_LE(finished.exit_code, 1) << finished.err;
    return ReadJson(folder.path() / ("run-" + faults) / "verdict.json");
  };
  EXPECT_EQ(run("").at("overall"), "valid");
  EXPECT_EQ(FindClaimJson(run("clock"), "lease-exclusion").at("outcome"), "violated");
}

INSTANTIATE_TEST_SUITE_P(All, EachServer,
                         ::testing::Values("redis@6.2", "redis@7.0", "redis@8.2", "valkey@9.1"),
                         testing::CaseName());

}  // namespace
}  // namespace doublehold
