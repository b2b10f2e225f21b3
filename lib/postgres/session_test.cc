#include "lib/postgres/session.h"

#include <gtest/gtest.h>

#include "lib/real/real_env.h"
#include "lib/testing/postgres_server.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::PostgresServer;
using testing::RunSql;

constexpr Duration kShortPostgresCall = 200ms;

class PostgresSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoPostgres(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<PostgresServer>();
    session_ = server_->Open();
    other_ = server_->Open();
  }

  // Lets `other_` wait inside the server for a lock that `session_` holds.
  std::string RunBlocked() {
    EXPECT_EQ(RunSql(*session_, "SELECT pg_advisory_lock(7)"), "[]");
    return RunSql(*other_, "SELECT pg_advisory_lock(7)", {}, kShortPostgresCall);
  }
  // Whether lock 7 is free.
  bool IsFree() { return RunSql(*server_->Open(), "SELECT pg_try_advisory_lock(7)") == "[t]"; }

  std::unique_ptr<PostgresServer> server_;
  std::unique_ptr<SqlSession> session_, other_;
};

TEST_F(PostgresSessionTest, ReturnsRowsOfText) {
  EXPECT_EQ(RunSql(*session_, "SELECT $1::int + 1, upper($2), NULL", {"41", "a'b"}), "[42, A'B, ]");
  EXPECT_EQ(RunSql(*session_, "SELECT generate_series(1, 3)"), "[1] [2] [3]");
  EXPECT_EQ(RunSql(*session_, "CREATE TABLE t (x text)"), "");
  EXPECT_EQ(RunSql(*session_, "INSERT INTO t VALUES ($1) RETURNING x", {"row"}), "[row]");
}

TEST_F(PostgresSessionTest, AStatementThatIsRefusedHasAStateAndNoEffect) {
  EXPECT_EQ(RunSql(*session_, "SELECT * FROM missing"), "refused 42P01");
  EXPECT_EQ(RunSql(*session_, "no statement"), "refused 42601");
  EXPECT_FALSE(session_->HasEnded());
  EXPECT_EQ(RunSql(*session_, "SELECT 1"), "[1]");
}

TEST_F(PostgresSessionTest, AClosedSessionFreesItsLocks) {
  EXPECT_EQ(RunSql(*session_, "SELECT pg_try_advisory_lock(7)"), "[t]");
  EXPECT_FALSE(IsFree());
  session_.reset();
  EXPECT_TRUE(Eventually([&] { return IsFree(); }));
}

TEST_F(PostgresSessionTest, AStatementPastItsDeadlineEndsTheSession) {
  EXPECT_EQ(RunBlocked(), "no reply");
  EXPECT_TRUE(other_->HasEnded());
  EXPECT_EQ(RunSql(*other_, "SELECT 1"), "not sent");
}

TEST_F(PostgresSessionTest, ASessionThatTheServerEndedIsNoticedBeforeTheNextStatement) {
  // The backends of other tests' sessions may still end.
  const std::string row = RunSql(*session_, "SELECT pg_backend_pid()");
  const std::string pid = row.substr(1, row.size() - 2);
  EXPECT_EQ(RunSql(*other_, "SELECT pg_terminate_backend(" + pid + ")"), "[t]");
  // Until the server's notice arrives, the session executes statements.
  EXPECT_TRUE(Eventually([&] { return RunSql(*session_, "SELECT 1") != "[1]"; }));
  EXPECT_TRUE(session_->HasEnded());
  EXPECT_EQ(RunSql(*session_, "SELECT 1"), "not sent");
}

TEST_F(PostgresSessionTest, ARestartOfTheServerEndsTheSession) {
  EXPECT_EQ(RunSql(*session_, "SELECT pg_try_advisory_lock(7)"), "[t]");
  server_->Kill();
  EXPECT_EQ(RunSql(*server_->Open(), "SELECT 1"), "not sent");
  server_->Start();
  EXPECT_TRUE(IsFree());
  EXPECT_EQ(RunSql(*session_, "SELECT 1"), "not sent");
}

TEST_F(PostgresSessionTest, TheRealEnvOpensASessionToANode) {
  const RealProcess process{.addresses = {{}, server_->address()}};
  RealEnv env(process, TaskKind::kSession);
  Clients& clients = env.clients();
  EXPECT_EQ(RunSql(*clients.sql().OpenSession(NodeId{1}), "SELECT 1"), "[1]");
}

}  // namespace
}  // namespace doublehold
