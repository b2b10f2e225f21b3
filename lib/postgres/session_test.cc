#include "lib/postgres/session.h"

#include <gtest/gtest.h>

#include <array>

#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/postgres_server.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::kPatience;
using testing::PostgresServer;
using Kind = SqlFailure::Kind;

constexpr Duration kShortCall = 200ms;

Deadline Patiently() { return RealMono() + kPatience; }

// Formats a result as "[1, a] [2, b]", or as "refused 42P01" or "no reply".
std::string Outcome(const SqlResult& result) {
  if (!result) {
    constexpr std::array kNames{"not sent", "refused ", "no reply"};
    return kNames.at(static_cast<size_t>(result.error().kind)) + result.error().sqlstate;
  }
  std::string text;
  for (const auto& row : *result) {
    text += text.empty() ? "[" : " [";
    for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ", ") + row[i];
    text += "]";
  }
  return text;
}

class PostgresSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoPostgres(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<PostgresServer>();
    session_ = OpenPostgres(server_->address());
    other_ = OpenPostgres(server_->address());
  }

  static std::string Run(SqlSession& session, std::string_view statement,
                         std::vector<std::string_view> values = {}) {
    return Outcome(session.Execute(statement, values, Patiently()));
  }
  // Lets `other_` wait inside the server for a lock that `session_` holds.
  SqlResult RunBlocked() {
    EXPECT_EQ(Run(*session_, "SELECT pg_advisory_lock(7)"), "[]");
    return other_->Execute("SELECT pg_advisory_lock(7)", {}, RealMono() + kShortCall);
  }
  // Whether lock 7 is free.
  bool IsFree() {
    return Run(*OpenPostgres(server_->address()), "SELECT pg_try_advisory_lock(7)") == "[t]";
  }

  std::unique_ptr<PostgresServer> server_;
  std::unique_ptr<SqlSession> session_, other_;
};

TEST_F(PostgresSessionTest, ReturnsRowsOfText) {
  EXPECT_EQ(Run(*session_, "SELECT $1::int + 1, upper($2), NULL", {"41", "a'b"}), "[42, A'B, ]");
  EXPECT_EQ(Run(*session_, "SELECT generate_series(1, 3)"), "[1] [2] [3]");
  EXPECT_EQ(Run(*session_, "CREATE TABLE t (x text)"), "");
  EXPECT_EQ(Run(*session_, "INSERT INTO t VALUES ($1) RETURNING x", {"row"}), "[row]");
}

TEST_F(PostgresSessionTest, AStatementThatIsRefusedHasAStateAndNoEffect) {
  EXPECT_EQ(Run(*session_, "SELECT * FROM missing"), "refused 42P01");
  EXPECT_EQ(Run(*session_, "no statement"), "refused 42601");
  EXPECT_FALSE(session_->HasEnded());
  EXPECT_EQ(Run(*session_, "SELECT 1"), "[1]");
}

TEST_F(PostgresSessionTest, AClosedSessionFreesItsLocks) {
  EXPECT_EQ(Run(*session_, "SELECT pg_try_advisory_lock(7)"), "[t]");
  EXPECT_FALSE(IsFree());
  session_.reset();
  EXPECT_TRUE(Eventually([&] { return IsFree(); }));
}

TEST_F(PostgresSessionTest, AStatementPastItsDeadlineEndsTheSession) {
  EXPECT_EQ(Outcome(RunBlocked()), "no reply");
  EXPECT_TRUE(other_->HasEnded());
  EXPECT_EQ(Run(*other_, "SELECT 1"), "not sent");
}

TEST_F(PostgresSessionTest, ASessionThatTheServerEndedIsNoticedBeforeTheNextStatement) {
  EXPECT_EQ(Run(*session_, "SELECT 1"), "[1]");
  EXPECT_EQ(Run(*other_,
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                "pid <> pg_backend_pid() AND backend_type = 'client backend'"),
            "[1]");
  // Until the server's notice arrives, the session executes statements.
  EXPECT_TRUE(Eventually([&] { return Run(*session_, "SELECT 1") != "[1]"; }));
  EXPECT_TRUE(session_->HasEnded());
  EXPECT_EQ(Run(*session_, "SELECT 1"), "not sent");
}

TEST_F(PostgresSessionTest, ARestartOfTheServerEndsTheSession) {
  EXPECT_EQ(Run(*session_, "SELECT pg_try_advisory_lock(7)"), "[t]");
  server_->Kill();
  EXPECT_EQ(Run(*OpenPostgres(server_->address()), "SELECT 1"), "not sent");
  server_->Start();
  EXPECT_TRUE(IsFree());
  EXPECT_EQ(Run(*session_, "SELECT 1"), "not sent");
}

TEST_F(PostgresSessionTest, TheRealEnvOpensASessionToANode) {
  const RealProcess process{.addresses = {{}, server_->address()}};
  RealEnv env(process, TaskKind::kSession);
  Clients& clients = env.clients();
  EXPECT_EQ(Run(*clients.sql().OpenSession(NodeId{1}), "SELECT 1"), "[1]");
}

}  // namespace
}  // namespace doublehold
