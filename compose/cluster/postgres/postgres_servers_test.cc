// Tests experiments on a real PostgreSQL server under faults of its node.
#include <gtest/gtest.h>

#include "compose/testing/program.h"
#include "lib/os/run_tool.h"
#include "lib/testing/postgres_server.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

class PostgresRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoPostgres(); !why.empty()) GTEST_SKIP() << why;
  }

  // Runs a lock with a lease of 500 ms and these faults. Returns its verdict.json.
  static nlohmann::json RunWith(const std::string& lock, const std::string& faults) {
    return UnstalledVerdict([&](int) {
      const TestFolder folder;
      const std::filesystem::path file = folder.path() / "experiment.toml";
      WriteFile(file, "[lock]\nname = \"" + lock +
                          "\"\nlease = \"500ms\"\n[workload]\nclients = 2\nduration = \"2s\"\n" +
                          faults);
      const Finished finished =
          RunProgram({"run", file.string(), "--into", (folder.path() / "run").string()});
      EXPECT_LT(finished.exit_code, 3) << finished.out << finished.err;
      return ReadJson(folder.path() / "run" / "verdict.json");
    });
  }
  static std::string Outcome(const nlohmann::json& verdict, const std::string& claim) {
    return FindClaimJson(verdict, claim).value("outcome", "missing");
  }
};

TEST_F(PostgresRuns, WithoutAFaultEachLockIsClean) {
  for (const char* lock : {"postgres-advisory", "postgres-lease"}) {
    // Other tests find the lease valid, too.
    if (lock == std::string("postgres-lease") && !RunsAllTrials()) continue;
    SCOPED_TRACE(lock);
    const nlohmann::json verdict = RunWith(lock, "");
    EXPECT_EQ(verdict.at("overall"), "valid") << verdict.dump();
  }
}

// A pause reaches the server's sessions, which are in process groups of their own.
TEST_F(PostgresRuns, APausedServerGrantsNothing) {
  const nlohmann::json verdict =
      RunWith("postgres-lease",
              "[[fault]]\nkind = \"pause\"\nnodes = [1]\nfrom = \"500ms\"\nfor = \"1s\"\n");
  EXPECT_EQ(verdict.at("faults").at(0).at("started"), 1);
  EXPECT_EQ(Outcome(verdict, "exclusion"), "valid") << verdict.dump();
}

TEST_F(PostgresRuns, ALeaseSurvivesARestartOfTheServerAndAnAdvisoryLockDoesNot) {
  const std::string restart =
      "[[fault]]\nkind = \"restart\"\nnodes = [1]\ndata = \"aof\"\non = \"client 1 holds\"\n"
      "[[fault]]\nkind = \"slow\"\non = \"client 1 holds\"\nuntil = \"client 2 holds\"\n";
  EXPECT_EQ(Outcome(RunWith("postgres-advisory", restart), "exclusion"), "violated");
  EXPECT_EQ(Outcome(RunWith("postgres-lease", restart), "lease-exclusion"), "valid");
}

// Like S11 of compose/suites/services.toml, but the promotion comes after the client's work, some
// milliseconds after the grant: a replica that is promoted at the grant may not have its row yet.
TEST_F(PostgresRuns, AReplicaThatIsPromotedHasRowsButNoSessionLocks) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const std::string failover =
      "[topology]\nname = \"replicated\"\n"
      "[[fault]]\nkind = \"promote\"\nnodes = [2]\non = \"client 1 before-write\"\n"
      "[[fault]]\nkind = \"slow\"\non = \"client 1 before-write\"\nuntil = \"client 2 holds\"\n";
  const nlohmann::json advisory = RunWith("postgres-advisory", failover);
  EXPECT_EQ(Outcome(advisory, "lease-exclusion"), "violated") << advisory.dump();
  const nlohmann::json lease = RunWith("postgres-lease", failover);
  EXPECT_EQ(Outcome(lease, "lease-exclusion"), "valid") << lease.dump();
}

TEST_F(PostgresRuns, AReplicaLacksTheRowsThatAFaultKeptFromIt) {
  const nlohmann::json verdict =
      RunWith("postgres-lease",
              "[topology]\nname = \"replicated\"\n"
              "[[fault]]\nkind = \"cut-replication\"\nnodes = [1]\nfrom = \"300ms\"\nfor = \"1s\"\n"
              "[[fault]]\nkind = \"promote\"\nnodes = [2]\nfrom = \"700ms\"\n");
  EXPECT_EQ(Outcome(verdict, "fencing"), "violated") << "tokens come again: " << verdict.dump();
}

// Case S12 of compose/suites/services.toml.
TEST_F(PostgresRuns, APoolerOfTransactionsLendsASessionLockToEverybody) {
  if (!RunTool({"sh", "-c", "PATH=$PATH:/usr/sbin command -v pgbouncer"}))
    GTEST_SKIP() << "needs the Debian package pgbouncer";
  for (const auto& [mode, outcome] : {std::pair{"transaction", "violated"}, {"session", "valid"}}) {
    if (mode == std::string("session") && !RunsAllTrials()) continue;
    const nlohmann::json verdict =
        RunWith("postgres-advisory\"\nthrough-pooler = \"" + std::string(mode), "");
    EXPECT_EQ(Outcome(verdict, "lease-exclusion"), outcome) << mode << verdict.dump();
  }
}

TEST_F(PostgresRuns, AJumpOfTheServersClockEndsALeaseEarly) {
  const nlohmann::json verdict =
      RunWith("postgres-lease",
              "[[fault]]\nkind = \"jump\"\nnodes = [1]\nby = \"2 lease\"\non = \"client 1 holds\"\n"
              "for = \"1 lease\"\n[[fault]]\nkind = \"slow\"\non = \"client 1 holds\"\n"
              "until = \"client 2 holds\"\n");
  EXPECT_EQ(Outcome(verdict, "lease-exclusion"), "violated") << verdict.dump();
}

}  // namespace
}  // namespace doublehold
