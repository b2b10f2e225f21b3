#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/locks/registry.h"
#include "lib/testing/scripted_sql.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::ScriptedSql;
using testing::World;
using SqlKind = SqlFailure::Kind;

constexpr Lease kRowLease = 300ms;
const LockKey kRowKey{.name = "dh:item:0"};

class PostgresLeaseTest : public ::testing::Test {
 protected:
  PostgresLeaseTest() {
    world_.open_sql_session = [this] { return sql_.OpenSession(); };
    lock_ = Make(false);
  }

  std::unique_ptr<Lock> Make(bool client_clock) {
    options_["client-clock"] = client_clock ? "true" : "false";
    return FindLock("postgres-lease")
        ->make({.env = env_, .client = 1, .seed = 1, .options = Options(options_)});
  }
  // Returns the result of a try: "granted 3", "busy" or "unknown".
  std::string Try(Lock& lock) {
    const AcquireResult result = lock.TryAcquire(kRowKey, kRowLease, world_.now + kRowLease);
    if (const auto* granted = std::get_if<Granted>(&result)) {
      last_ = granted->grant;
      return fmt::format("granted {}", last_.token);
    }
    return std::holds_alternative<Busy>(result) ? "busy" : "unknown";
  }
  std::string Extend() {
    const ExtendResult result = lock_->Extend(last_, kRowLease, world_.now + kRowLease);
    const auto* extended = std::get_if<Extended>(&result);
    if (extended != nullptr)
      return fmt::format("until {} ms", ToMs(extended->valid_until - testing::kStartOfWorld));
    return std::holds_alternative<Lost>(result) ? "lost" : "undecided";
  }
  ReleaseResult Release() { return lock_->Release(last_, world_.now + kRowLease); }
  [[nodiscard]] bool LastStatementHas(std::string_view text) const {
    return sql_.log.back().find(text) != std::string::npos;
  }

  World world_;
  FakeEnv env_{world_};
  ScriptedSql sql_;
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
  Grant last_;
};

TEST_F(PostgresLeaseTest, TheRowsTokenIsTheGrantsAndALeaseCountsFromTheInvocation) {
  sql_.Rows({{"7"}});
  EXPECT_EQ(Try(*lock_), "granted 7");
  EXPECT_EQ(last_.valid_until, world_.now + kRowLease);
  EXPECT_TRUE(LastStatementHas("dh:item:0 | " + last_.owner + " | 300"));
  sql_.Rows({});
  EXPECT_EQ(Try(*lock_), "busy");
}

TEST_F(PostgresLeaseTest, AMissingTableIsCreatedOnceWhoeverCreatesItFirst) {
  for (const char* state : {"", "42P07", "23505"}) {
    SCOPED_TRACE(state);
    sql_.Fail(SqlKind::kRefused, "42P01");
    if (*state == '\0') sql_.Rows({});
    if (*state != '\0') sql_.Fail(SqlKind::kRefused, state);
    sql_.Rows({{"1"}});
    EXPECT_EQ(Try(*lock_), "granted 1");
  }
  sql_.Fail(SqlKind::kRefused, "42P01");
  sql_.Fail(SqlKind::kRefused, "42501");  // no privilege
  EXPECT_EQ(Try(*lock_), "busy");
}

TEST_F(PostgresLeaseTest, OnlyATryWithoutAReplyIsUnknown) {
  sql_.Fail(SqlKind::kNotSent);
  EXPECT_EQ(Try(*lock_), "busy");
  sql_.Fail(SqlKind::kRefused, "40001");
  EXPECT_EQ(Try(*lock_), "busy");
  sql_.Fail(SqlKind::kNoReply);
  EXPECT_EQ(Try(*lock_), "unknown");
}

TEST_F(PostgresLeaseTest, ExtendsAndReleasesOnlyARowOfItsOwner) {
  sql_.Rows({{"1"}});
  EXPECT_EQ(Try(*lock_), "granted 1");
  world_.Advance(100ms);
  sql_.Rows({{"1"}});
  EXPECT_EQ(Extend(), "until 400 ms");
  EXPECT_TRUE(LastStatementHas("owner = $2"));
  sql_.Rows({});
  EXPECT_EQ(Extend(), "lost");
  sql_.Fail(SqlKind::kNoReply);
  EXPECT_EQ(Extend(), "undecided");
  sql_.Fail(SqlKind::kRefused, "42P01");
  EXPECT_EQ(Extend(), "lost");

  sql_.Rows({{"1"}});
  EXPECT_EQ(Release(), ReleaseResult::kReleased);
  EXPECT_TRUE(LastStatementHas("owner = $2"));
  sql_.Rows({});
  EXPECT_EQ(Release(), ReleaseResult::kNotOwner);
  sql_.Fail(SqlKind::kRefused, "42P01");
  EXPECT_EQ(Release(), ReleaseResult::kNotOwner);
  sql_.Fail(SqlKind::kNoReply);
  EXPECT_EQ(Release(), ReleaseResult::kUnknown);
}

TEST_F(PostgresLeaseTest, OnlyWithClientClockTheClientsClockIsSent) {
  const std::string wall_ms = std::to_string(ToMs(env_.Wall().time_since_epoch()));
  sql_.Rows({});
  EXPECT_EQ(Try(*lock_), "busy");
  EXPECT_TRUE(LastStatementHas("held.locked_until < clock_timestamp()"));
  EXPECT_FALSE(LastStatementHas(wall_ms));
  const auto by_client_clock = Make(true);
  sql_.Rows({});
  EXPECT_EQ(Try(*by_client_clock), "busy");
  EXPECT_TRUE(LastStatementHas("held.locked_until < to_timestamp($4::float8 / 1000)"));
  EXPECT_TRUE(LastStatementHas(" | " + wall_ms));
  EXPECT_FALSE(LastStatementHas("clock_timestamp"));
}

}  // namespace
}  // namespace doublehold
