#include <gtest/gtest.h>

#include <algorithm>

#include "lib/testing/case_name.h"
#include "lib/testing/lock_client.h"
#include "lib/testing/mariadb_server.h"
#include "lib/testing/postgres_server.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::kPatience;
using testing::LockClient;

const LockKey kSqlKey{.name = "dh:item:0"};

class SqlLocks : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool is_mariadb = FindLock(GetParam())->service == kMariaDbService;
    const std::string why = is_mariadb ? testing::WhyNoMariaDb() : testing::WhyNoPostgres();
    if (!why.empty()) GTEST_SKIP() << why;
    if (is_mariadb) server_ = std::make_unique<testing::MariaDbServer>();
    if (!is_mariadb) server_ = std::make_unique<testing::PostgresServer>();
    clients_ = testing::MakeClients(server_->address(), 3, {GetParam()});
  }
  static bool IsExtended(LockClient& client, const Grant& grant) {
    return std::holds_alternative<Extended>(client.Extend(grant));
  }

  std::unique_ptr<testing::SqlServer> server_;
  testing::LockClients clients_;
};

TEST_P(SqlLocks, AreGrantedToOneClientAtATime) {
  testing::ExpectGrantedOneAtATime(clients_, kSqlKey);
}

TEST_P(SqlLocks, AHeldLockIsExtendedAndReleasedByItsOwnerOnly) {
  LockClient& a = *clients_[0];
  LockClient& b = *clients_[1];
  const AskLeft ask_left = FindLock(GetParam())->ask_left(b.env(), NodeId{1}, b.lease());
  const auto left = [&] { return ask_left(kSqlKey, RealMono() + kPatience); };
  EXPECT_EQ(left(), kNothingLeft);
  const Grant first = a.AcquireEventually(kSqlKey);
  EXPECT_TRUE(b.IsBusy(kSqlKey));
  EXPECT_TRUE(a.IsBusy(kSqlKey));
  EXPECT_NE(left(), kNothingLeft);
  EXPECT_TRUE(IsExtended(a, first));
  Grant foreign = first;
  foreign.owner = "nobody";
  EXPECT_EQ(b.Release(foreign), ReleaseResult::kNotOwner);
  EXPECT_FALSE(IsExtended(b, foreign));
  EXPECT_EQ(a.Release(first), ReleaseResult::kReleased);
  EXPECT_EQ(a.Release(first), ReleaseResult::kNotOwner);
  EXPECT_EQ(left(), kNothingLeft);
  const Grant second = b.AcquireEventually(kSqlKey);
  EXPECT_FALSE(IsExtended(a, first));
  EXPECT_TRUE(IsExtended(b, second));
}

std::string NameOfSqlLock(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Each, SqlLocks,
                         ::testing::Values("mariadb-get-lock", "postgres-advisory",
                                           "postgres-lease"),
                         NameOfSqlLock);

using SessionLocksOnServer = SqlLocks;
TEST_P(SessionLocksOnServer, TheEndOfASessionFreesTheLock) {
  (void)clients_[0]->AcquireEventually(kSqlKey);
  EXPECT_TRUE(clients_[1]->IsBusy(kSqlKey));
  clients_[0].reset();
  (void)clients_[1]->AcquireEventually(kSqlKey);
}
TEST_P(SessionLocksOnServer, ARestartOfTheServerLosesTheLock) {
  const Grant grant = clients_[0]->AcquireEventually(kSqlKey);
  server_->Kill();
  server_->Start();
  (void)clients_[1]->AcquireEventually(kSqlKey);
  EXPECT_FALSE(IsExtended(*clients_[0], grant));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kNotOwner);
}
INSTANTIATE_TEST_SUITE_P(Each, SessionLocksOnServer,
                         ::testing::Values("mariadb-get-lock", "postgres-advisory"), NameOfSqlLock);

TEST_P(SessionLocksOnServer, AnotherClientIsGrantedOnceTheServerEndsTheSession) {
  const Grant grant = clients_[0]->AcquireEventually(kSqlKey);
  const bool is_mariadb = FindLock(GetParam())->service == kMariaDbService;
  EXPECT_EQ(testing::RunSql(*server_->Open(),
                            is_mariadb ? "EXECUTE IMMEDIATE CONCAT('KILL ', IS_USED_LOCK('" +
                                             kSqlKey.name + "'))"
                                       : "SELECT pg_terminate_backend(pid) FROM pg_locks "
                                         "WHERE locktype = 'advisory'"),
            is_mariadb ? "" : "[t]");
  (void)clients_[1]->AcquireEventually(kSqlKey);
  EXPECT_FALSE(IsExtended(*clients_[0], grant));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kNotOwner);
}

using PostgresLeaseOnServer = SqlLocks;
TEST_P(PostgresLeaseOnServer, ARestartOfTheServerKeepsTheLeaseAndTheToken) {
  const Grant grant = clients_[0]->AcquireEventually(kSqlKey);
  server_->Kill();
  server_->Start();
  EXPECT_TRUE(clients_[1]->IsBusy(kSqlKey));
  EXPECT_TRUE(Eventually([&] { return IsExtended(*clients_[0], grant); }));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kReleased);
  EXPECT_EQ(clients_[1]->AcquireEventually(kSqlKey).token, grant.token + 1);
}
TEST_P(PostgresLeaseOnServer, AnotherClientIsGrantedOnceTheLeaseIsOver) {
  LockClient holder({{}, server_->address()}, 4, {GetParam()}, /*lease=*/300ms);
  const Grant first = holder.AcquireEventually(kSqlKey);
  const Grant second = clients_[1]->AcquireEventually(kSqlKey);
  EXPECT_GE(RealMono(), first.valid_until);
  EXPECT_EQ(second.token, first.token + 1);
  EXPECT_EQ(holder.Release(first), ReleaseResult::kNotOwner);
}
INSTANTIATE_TEST_SUITE_P(One, PostgresLeaseOnServer, ::testing::Values("postgres-lease"),
                         testing::CaseName());

}  // namespace
}  // namespace doublehold
