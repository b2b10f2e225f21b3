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

constexpr Lease kAdvisoryLease = 300ms;
const LockKey kAdvisoryKey{.name = "dh:item:0"};
const LockKey kAdvisoryOther{.name = "dh:item:1"};

class PostgresAdvisoryTest : public ::testing::Test {
 protected:
  PostgresAdvisoryTest() {
    world_.open_sql_session = [this] { return sql_.OpenSession(); };
    lock_ = FindLock("postgres-advisory")
                ->make({.env = env_, .client = 1, .seed = 1, .options = Options(options_)});
  }

  AcquireResult Try(const LockKey& key = kAdvisoryKey) {
    return lock_->TryAcquire(key, kAdvisoryLease, world_.now + kAdvisoryLease);
  }
  // Returns the grant of a try that the database answers with `t`.
  Grant Acquire(const LockKey& key = kAdvisoryKey) {
    sql_.Rows({{"t"}});
    const AcquireResult result = Try(key);
    if (const auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << "not granted";
    return {};
  }
  std::string Extend(const Grant& grant) {
    const ExtendResult result = lock_->Extend(grant, kAdvisoryLease, world_.now + kAdvisoryLease);
    return std::holds_alternative<Extended>(result) ? "extended"
           : std::holds_alternative<Lost>(result)   ? "lost"
                                                    : "undecided";
  }
  ReleaseResult Release(const Grant& grant) {
    return lock_->Release(grant, world_.now + kAdvisoryLease);
  }

  World world_;
  FakeEnv env_{world_};
  ScriptedSql sql_;
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
};

TEST_F(PostgresAdvisoryTest, AGrantHasNoEndAndAKeyHasANumber) {
  EXPECT_EQ(Acquire().valid_until, MonoTime::max());
  (void)Acquire(kAdvisoryOther);
  EXPECT_EQ(sql_.log, (std::vector<std::string>{
                          "session 1: SELECT pg_try_advisory_lock($1) | -1440597247167729040",
                          "session 1: SELECT pg_try_advisory_lock($1) | -1440596147656100829"}));
}

TEST_F(PostgresAdvisoryTest, ALockOfAnotherSessionIsBusy) {
  sql_.Rows({{"f"}});
  EXPECT_TRUE(std::holds_alternative<Busy>(Try()));
}

TEST_F(PostgresAdvisoryTest, AHolderIsNotGrantedItsOwnLockAgain) {
  const Grant grant = Acquire();
  EXPECT_TRUE(std::holds_alternative<Busy>(Try()));
  sql_.Rows({{"t"}});
  EXPECT_EQ(Release(grant), ReleaseResult::kReleased);
  (void)Acquire();
}

TEST_F(PostgresAdvisoryTest, WithoutAReplyTheOutcomeIsUnknownAndTheNextTryHasANewSession) {
  sql_.Fail(SqlKind::kNoReply);
  const AcquireResult first = Try();
  ASSERT_TRUE(std::holds_alternative<Unknown>(first));
  EXPECT_EQ(Release(std::get<Unknown>(first).perhaps), ReleaseResult::kUnknown);
  (void)Acquire();
  EXPECT_EQ(sql_.sessions, 2);
}

TEST_F(PostgresAdvisoryTest, ATryThatIsNotExecutedIsBusy) {
  for (const SqlKind kind : {SqlKind::kNotSent, SqlKind::kRefused}) {
    sql_.Fail(kind);
    EXPECT_TRUE(std::holds_alternative<Busy>(Try()));
  }
  EXPECT_EQ(sql_.sessions, 2);  // a refused statement does not end the session
}

TEST_F(PostgresAdvisoryTest, AnExtensionAsksWhetherTheSessionLives) {
  const Grant grant = Acquire();
  sql_.Rows({{"1"}});
  EXPECT_EQ(Extend(grant), "extended");
  sql_.Fail(SqlKind::kRefused);
  EXPECT_EQ(Extend(grant), "undecided");
  sql_.Fail(SqlKind::kNoReply);
  EXPECT_EQ(Extend(grant), "lost");
  EXPECT_EQ(Extend(grant), "lost");
}

TEST_F(PostgresAdvisoryTest, AGrantIsLostWithItsSessionAlthoughALaterSessionHasTheLock) {
  const Grant first = Acquire();
  sql_.end_of = 1;
  EXPECT_EQ(Extend(first), "lost");
  const Grant second = Acquire();
  EXPECT_EQ(sql_.sessions, 2);
  EXPECT_EQ(Extend(first), "lost");
  EXPECT_EQ(Release(first), ReleaseResult::kNotOwner);
  sql_.Rows({{"1"}});
  EXPECT_EQ(Extend(second), "extended");
}

TEST_F(PostgresAdvisoryTest, AReleaseSaysWhetherItFreedTheLock) {
  struct Case {
    const char* name;
    SqlResult answer;
    ReleaseResult expected;
  };
  const auto fail = [](SqlKind kind) { return tl::unexpected(SqlFailure{.kind = kind}); };
  const Case cases[] = {
      {"unlocked", SqlRows{{"t"}}, ReleaseResult::kReleased},
      {"not held", SqlRows{{"f"}}, ReleaseResult::kNotOwner},
      {"no reply", fail(SqlKind::kNoReply), ReleaseResult::kUnknown},
      {"refused", fail(SqlKind::kRefused), ReleaseResult::kUnknown},
      {"session ended", fail(SqlKind::kNotSent), ReleaseResult::kNotOwner},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const Grant grant = Acquire();
    sql_.answers.push_back(each.answer);
    EXPECT_EQ(Release(grant), each.expected);
    EXPECT_EQ(Release(grant), ReleaseResult::kNotOwner);
  }
  (void)Acquire();
  EXPECT_EQ(sql_.sessions, 4);  // a new one after each failure
}

}  // namespace
}  // namespace doublehold
