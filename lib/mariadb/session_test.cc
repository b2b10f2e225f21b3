#include "lib/mariadb/session.h"

#include <gtest/gtest.h>

#include <array>

#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/mariadb_server.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::kPatience;
using testing::MariaDbServer;

constexpr Duration kShortCall = 200ms;

class MariaDbSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoMariaDb(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<MariaDbServer>();
    session_ = OpenMariaDb(server_->address());
    other_ = OpenMariaDb(server_->address());
  }

  // Formats a result as "[1, a] [2, b]", or as "refused 42000" or "no reply".
  static std::string Run(SqlSession& session, std::string_view statement,
                         std::vector<std::string_view> values = {}, Duration within = kPatience) {
    const SqlResult result = session.Execute(statement, values, RealMono() + within);
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
  bool IsFree() {
    return Run(*OpenMariaDb(server_->address()), "SELECT IS_FREE_LOCK('seven')") == "[1]";
  }

  std::unique_ptr<MariaDbServer> server_;
  std::unique_ptr<SqlSession> session_, other_;
};

TEST_F(MariaDbSessionTest, ReturnsRowsOfText) {
  EXPECT_EQ(Run(*session_, "SELECT $1 + 1, UPPER($2), NULL", {"41", "a'b\\"}), "[42, A'B\\, ]");
  EXPECT_EQ(Run(*session_, "VALUES (1), (2), (3)"), "[1] [2] [3]");
  EXPECT_EQ(Run(*session_, "CREATE DATABASE d"), "");
  EXPECT_EQ(Run(*session_, "CREATE TABLE d.t (x text) ENGINE = InnoDB"), "");
  EXPECT_EQ(Run(*session_, "INSERT INTO d.t VALUES ($1) RETURNING x", {"$2"}), "[$2]");
}

TEST_F(MariaDbSessionTest, AStatementThatIsRefusedHasAStateAndNoEffect) {
  EXPECT_EQ(Run(*session_, "SELECT * FROM d.missing"), "refused 42S02");
  EXPECT_EQ(Run(*session_, "no statement"), "refused 42000");
  EXPECT_FALSE(session_->HasEnded());
  EXPECT_EQ(Run(*session_, "SELECT 1"), "[1]");
}

TEST_F(MariaDbSessionTest, AClosedSessionFreesItsLocks) {
  EXPECT_EQ(Run(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  EXPECT_FALSE(IsFree());
  session_.reset();
  EXPECT_TRUE(Eventually([&] { return IsFree(); }));
}

TEST_F(MariaDbSessionTest, AStatementPastItsDeadlineEndsTheSession) {
  EXPECT_EQ(Run(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  EXPECT_EQ(Run(*other_, "SELECT GET_LOCK('seven', 3600)", {}, kShortCall), "no reply");
  EXPECT_TRUE(other_->HasEnded());
  EXPECT_EQ(Run(*other_, "SELECT 1"), "not sent");
}

TEST_F(MariaDbSessionTest, ASessionThatTheServerEndedIsNoticedBeforeTheNextStatement) {
  EXPECT_EQ(Run(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  EXPECT_EQ(Run(*other_, "SELECT IS_USED_LOCK('seven') = CONNECTION_ID()"), "[0]");
  EXPECT_EQ(Run(*other_, "EXECUTE IMMEDIATE CONCAT('KILL ', IS_USED_LOCK('seven'))"), "");
  EXPECT_TRUE(Eventually([&] { return IsFree(); }));
  // Until the server's notice arrives, statements may be refused.
  EXPECT_TRUE(Eventually([&] { return Run(*session_, "SELECT 1") == "not sent"; }));
  EXPECT_TRUE(session_->HasEnded());
}

TEST_F(MariaDbSessionTest, ARestartOfTheServerEndsTheSession) {
  EXPECT_EQ(Run(*session_, "SELECT GET_LOCK('seven', 0)"), "[1]");
  server_->Kill();
  EXPECT_EQ(Run(*OpenMariaDb(server_->address()), "SELECT 1"), "not sent");
  server_->Start();
  EXPECT_TRUE(IsFree());
  EXPECT_EQ(Run(*session_, "SELECT 1"), "not sent");
}

TEST_F(MariaDbSessionTest, ACommittedRowOutlivesAKilledServer) {
  EXPECT_EQ(Run(*session_, "CREATE DATABASE d"), "");
  EXPECT_EQ(Run(*session_, "CREATE TABLE d.t (x int) ENGINE = InnoDB"), "");
  EXPECT_EQ(Run(*session_, "INSERT INTO d.t VALUES (7)"), "");
  server_->Kill();
  server_->Start();
  EXPECT_EQ(Run(*OpenMariaDb(server_->address()), "SELECT x FROM d.t"), "[7]");
}

TEST_F(MariaDbSessionTest, TheRealEnvOpensSessionsToTheNodeOfItsClient) {
  const MariaDbServer second;
  std::vector<std::string> servers;
  for (const NodeAddress& server : {server_->address(), second.address()})
    servers.push_back(Run(*OpenMariaDb(server), "SELECT @@socket"));
  for (int client = 0; client <= 3; ++client) {
    const RealProcess process{.number = client,
                              .addresses = {{}, server_->address(), second.address()}};
    RealEnv env(process, TaskKind::kSession);
    Clients& clients = env.clients();
    EXPECT_EQ(Run(*clients.mariadb().OpenSession(NodeId{1}), "SELECT @@socket"),
              servers[client == 2 ? 1 : 0]);
  }
}

}  // namespace
}  // namespace doublehold
