#include "lib/mariadb/session.h"

#include <gtest/gtest.h>

#include "lib/real/real_env.h"
#include "lib/testing/mariadb_server.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::MariaDbServer;
using testing::RunSql;

constexpr Duration kShortMariaDbCall = 200ms;

class MariaDbSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoMariaDb(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<MariaDbServer>();
    session_ = server_->Open();
    other_ = server_->Open();
  }

  bool IsFree() { return RunSql(*server_->Open(), "SELECT IS_FREE_LOCK('seven')") == "[1]"; }

  std::unique_ptr<MariaDbServer> server_;
  std::unique_ptr<SqlSession> session_, other_;
};

TEST_F(MariaDbSessionTest, ReturnsRowsOfText) {
  EXPECT_EQ(RunSql(*session_, "SELECT $1 + 1, UPPER($2), NULL", {"41", "a'b\\"}), "[42, A'B\\, ]");
  EXPECT_EQ(RunSql(*session_, "VALUES (1), (2), (3)"), "[1] [2] [3]");
  EXPECT_EQ(RunSql(*session_, "CREATE DATABASE d"), "");
  EXPECT_EQ(RunSql(*session_, "CREATE TABLE d.t (x text) ENGINE = InnoDB"), "");
  EXPECT_EQ(RunSql(*session_, "INSERT INTO d.t VALUES ($1) RETURNING x", {"$2"}), "[$2]");
}

TEST_F(MariaDbSessionTest, AStatementThatIsRefusedHasAStateAndNoEffect) {
  EXPECT_EQ(RunSql(*session_, "SELECT * FROM d.missing"), "refused 42S02");
  EXPECT_EQ(RunSql(*session_, "no statement"), "refused 42000");
  EXPECT_FALSE(session_->HasEnded());
  EXPECT_EQ(RunSql(*session_, "SELECT 1"), "[1]");
}

TEST_F(MariaDbSessionTest, AClosedSessionFreesItsLocks) {
  EXPECT_EQ(RunSql(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  EXPECT_FALSE(IsFree());
  session_.reset();
  EXPECT_TRUE(Eventually([&] { return IsFree(); }));
}

TEST_F(MariaDbSessionTest, AStatementPastItsDeadlineEndsTheSession) {
  EXPECT_EQ(RunSql(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  EXPECT_EQ(RunSql(*other_, "SELECT GET_LOCK('seven', 3600)", {}, kShortMariaDbCall), "no reply");
  EXPECT_TRUE(other_->HasEnded());
  EXPECT_EQ(RunSql(*other_, "SELECT 1"), "not sent");
}

TEST_F(MariaDbSessionTest, ASessionThatTheServerEndedIsNoticedBeforeTheNextStatement) {
  EXPECT_EQ(RunSql(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  EXPECT_EQ(RunSql(*other_, "SELECT IS_USED_LOCK('seven') = CONNECTION_ID()"), "[0]");
  EXPECT_EQ(RunSql(*other_, "EXECUTE IMMEDIATE CONCAT('KILL ', IS_USED_LOCK('seven'))"), "");
  EXPECT_TRUE(Eventually([&] { return IsFree(); }));
  // Until the server's notice arrives, statements may be refused.
  EXPECT_TRUE(Eventually([&] { return RunSql(*session_, "SELECT 1") == "not sent"; }));
  EXPECT_TRUE(session_->HasEnded());
}

TEST_F(MariaDbSessionTest, ARestartOfTheServerEndsTheSession) {
  EXPECT_EQ(RunSql(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  server_->Kill();
  EXPECT_EQ(RunSql(*server_->Open(), "SELECT 1"), "not sent");
  server_->Start();
  EXPECT_TRUE(IsFree());
  EXPECT_EQ(RunSql(*session_, "SELECT 1"), "not sent");
}

TEST_F(MariaDbSessionTest, ACommittedRowOutlivesAKilledServer) {
  EXPECT_EQ(RunSql(*session_, "CREATE DATABASE d"), "");
  EXPECT_EQ(RunSql(*session_, "CREATE TABLE d.t (x int) ENGINE = InnoDB"), "");
  EXPECT_EQ(RunSql(*session_, "INSERT INTO d.t VALUES (7)"), "");
  server_->Kill();
  server_->Start();
  EXPECT_EQ(RunSql(*server_->Open(), "SELECT x FROM d.t"), "[7]");
}

TEST_F(MariaDbSessionTest, TheRealEnvOpensSessionsToTheNodeOfItsClient) {
  const MariaDbServer second;
  const std::string first_is = RunSql(*session_, "SELECT @@socket");
  const std::string second_is = RunSql(*second.Open(), "SELECT @@socket");
  for (int client = 0; client <= 3; ++client) {
    const RealProcess process{.number = client,
                              .addresses = {{}, server_->address(), second.address()}};
    RealEnv env(process, TaskKind::kSession);
    Clients& clients = env.clients();
    EXPECT_EQ(RunSql(*clients.mariadb().OpenSession(NodeId{1}), "SELECT @@socket"),
              client == 2 ? second_is : first_is);
  }
}

}  // namespace
}  // namespace doublehold
