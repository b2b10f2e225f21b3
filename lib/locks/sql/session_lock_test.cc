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

constexpr Lease kSessionLease = 300ms;
const LockKey kSessionKey{.name = "dh:item:0"};
const LockKey kSessionOther{.name = "dh:item:1"};

// A lock and its statements.
struct SessionLockCase {
  const char* name;  // of the test
  const char* lock;  // of the registry
  const char* yes;   // the answer if the session has the lock
  const char* no;
  const char* expected;  // statements for keys dh:item:0 and dh:item:1
  const char* expected_other;
};

class SessionLockTest : public ::testing::TestWithParam<SessionLockCase> {
 protected:
  SessionLockTest() {
    world_.open_sql_session = [this] { return sql_.OpenSession(); };
    lock_ = FindLock(GetParam().lock)
                ->make({.env = env_, .client = 1, .seed = 1, .options = Options(options_)});
  }

  AcquireResult Try(const LockKey& key = kSessionKey) {
    return lock_->TryAcquire(key, kSessionLease, world_.now + kSessionLease);
  }
  // Returns the grant of a try that the database answers with yes.
  Grant Acquire(const LockKey& key = kSessionKey) {
    sql_.Rows({{GetParam().yes}});
    const AcquireResult result = Try(key);
    if (const auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << "not granted";
    return {};
  }
  std::string Extend(const Grant& grant) {
    const ExtendResult result = lock_->Extend(grant, kSessionLease, world_.now + kSessionLease);
    return std::holds_alternative<Extended>(result) ? "extended"
           : std::holds_alternative<Lost>(result)   ? "lost"
                                                    : "undecided";
  }
  ReleaseResult Release(const Grant& grant) {
    return lock_->Release(grant, world_.now + kSessionLease);
  }

  World world_;
  FakeEnv env_{world_};
  ScriptedSql sql_;
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
};

TEST_P(SessionLockTest, AGrantHasNoEndAndAKeyHasItsOwnLock) {
  EXPECT_EQ(Acquire().valid_until, MonoTime::max());
  (void)Acquire(kSessionOther);
  EXPECT_EQ(sql_.log, (std::vector<std::string>{GetParam().expected, GetParam().expected_other}));
}

TEST_P(SessionLockTest, ALockOfAnotherSessionIsBusy) {
  sql_.Rows({{GetParam().no}});
  EXPECT_TRUE(std::holds_alternative<Busy>(Try()));
}

TEST_P(SessionLockTest, AHolderIsNotGrantedItsOwnLockAgain) {
  const Grant grant = Acquire();
  EXPECT_TRUE(std::holds_alternative<Busy>(Try()));
  sql_.Rows({{GetParam().yes}});
  EXPECT_EQ(Release(grant), ReleaseResult::kReleased);
  (void)Acquire();
}

TEST_P(SessionLockTest, WithoutAReplyTheOutcomeIsUnknownAndTheNextTryHasANewSession) {
  sql_.Fail(SqlKind::kNoReply);
  const AcquireResult first = Try();
  ASSERT_TRUE(std::holds_alternative<Unknown>(first));
  EXPECT_EQ(Release(std::get<Unknown>(first).perhaps), ReleaseResult::kUnknown);
  (void)Acquire();
  EXPECT_EQ(sql_.sessions, 2);
}

TEST_P(SessionLockTest, ATryThatIsNotExecutedIsBusy) {
  for (const SqlKind kind : {SqlKind::kNotSent, SqlKind::kRefused}) {
    sql_.Fail(kind);
    EXPECT_TRUE(std::holds_alternative<Busy>(Try()));
  }
  EXPECT_EQ(sql_.sessions, 2);  // a refused statement does not end the session
}

TEST_P(SessionLockTest, AnExtensionAsksWhetherTheSessionLives) {
  const Grant grant = Acquire();
  sql_.Rows({{"1"}});
  EXPECT_EQ(Extend(grant), "extended");
  sql_.Fail(SqlKind::kRefused);
  EXPECT_EQ(Extend(grant), "undecided");
  sql_.Fail(SqlKind::kNoReply);
  EXPECT_EQ(Extend(grant), "lost");
  EXPECT_EQ(Extend(grant), "lost");
}

TEST_P(SessionLockTest, AGrantIsLostWithItsSessionAlthoughALaterSessionHasTheLock) {
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

TEST_P(SessionLockTest, AReleaseSaysWhetherItFreedTheLock) {
  struct Case {
    const char* name;
    SqlResult answer;
    ReleaseResult expected;
  };
  const auto fail = [](SqlKind kind) { return tl::unexpected(SqlFailure{.kind = kind}); };
  const Case cases[] = {
      {"unlocked", SqlRows{{GetParam().yes}}, ReleaseResult::kReleased},
      {"not held", SqlRows{{GetParam().no}}, ReleaseResult::kNotOwner},
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

INSTANTIATE_TEST_SUITE_P(
    Each, SessionLockTest,
    ::testing::Values(
        SessionLockCase{.name = "PostgresAdvisory",
                        .lock = "postgres-advisory",
                        .yes = "t",
                        .no = "f",
                        .expected = "session 1: SELECT pg_try_advisory_lock($1) | "
                                    "-1440597247167729040",
                        .expected_other = "session 1: SELECT pg_try_advisory_lock($1) | "
                                          "-1440596147656100829"},
        SessionLockCase{.name = "MariaDbGetLock",
                        .lock = "mariadb-get-lock",
                        .yes = "1",
                        .no = "0",
                        .expected = "session 1: SELECT GET_LOCK($1, 0) | dh:item:0",
                        .expected_other = "session 1: SELECT GET_LOCK($1, 0) | dh:item:1"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace doublehold
