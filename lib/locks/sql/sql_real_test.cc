#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "lib/locks/registry.h"
#include "lib/locks/retry.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/mariadb_server.h"
#include "lib/testing/postgres_server.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::kPatience;
using std::chrono_literals::operator""min;

constexpr Lease kLongSqlLease = 2min;  // longer than kPatience
const LockKey kSqlKey{.name = "dh:item:0"};
constexpr RetryPolicy kSqlRetry{.interval = 1ms, .timeout = kPatience, .call_timeout = kPatience};

class SqlClient {
 public:
  SqlClient(const NodeAddress& server, int number, const std::string& lock)
      : process_{.number = number, .seed = 7, .addresses = {{}, server}} {
    const LockEntry& entry = *FindLock(lock);
    options_ = *CompleteOptions(lock, entry.options, {}, kLongSqlLease);
    lock_ = entry.make({.env = env_, .client = number, .seed = 7, .options = Options(options_)});
    left_ = entry.ask_left(env_, NodeId{1}, kLongSqlLease);
  }

  AcquireResult Try(Lease lease = kLongSqlLease) {
    return lock_->TryAcquire(kSqlKey, lease, env_.Mono() + kPatience);
  }
  bool IsBusy() { return std::holds_alternative<Busy>(Try()); }
  Grant Acquire(Lease lease = kLongSqlLease) {
    AcquireResult result = AcquireWithRetry(env_, *lock_, kSqlKey, lease, kSqlRetry);
    if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << "never granted";
    return {};
  }
  bool Extend(const Grant& grant) {
    return std::holds_alternative<Extended>(
        lock_->Extend(grant, kLongSqlLease, env_.Mono() + kPatience));
  }
  ReleaseResult Release(const Grant& grant) {
    return lock_->Release(grant, env_.Mono() + kPatience);
  }
  std::optional<int64_t> Left() { return left_(kSqlKey, env_.Mono() + kPatience); }

 private:
  RealProcess process_;
  RealEnv env_{process_, TaskKind::kSession};
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
  AskLeft left_;
};

class SqlLocks : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool is_mariadb = FindLock(GetParam())->service == kMariaDbService;
    const std::string why = is_mariadb ? testing::WhyNoMariaDb() : testing::WhyNoPostgres();
    if (!why.empty()) GTEST_SKIP() << why;
    if (is_mariadb) server_ = std::make_unique<testing::MariaDbServer>();
    if (!is_mariadb) server_ = std::make_unique<testing::PostgresServer>();
    for (int number = 1; number <= 3; ++number) clients_.push_back(Client(number));
  }
  std::unique_ptr<SqlClient> Client(int number) {
    return std::make_unique<SqlClient>(server_->address(), number, GetParam());
  }

  std::unique_ptr<testing::SqlServer> server_;
  std::vector<std::unique_ptr<SqlClient>> clients_;
};

TEST_P(SqlLocks, AreGrantedToOneClientAtATime) {
  constexpr int kRounds = 50;
  std::atomic<int> holders = 0;
  int64_t last_token = 0;  // guarded by the lock under test
  std::vector<std::thread> threads;
  for (const auto& client : clients_) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const Grant grant = client->Acquire();
        EXPECT_EQ(++holders, 1);
        EXPECT_TRUE(grant.token == 0 || grant.token > last_token);
        last_token = grant.token;
        --holders;
        EXPECT_EQ(client->Release(grant), ReleaseResult::kReleased);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(SqlLocks, AHeldLockIsExtendedAndReleasedByItsOwnerOnly) {
  SqlClient& a = *clients_[0];
  SqlClient& b = *clients_[1];
  EXPECT_EQ(b.Left(), kNothingLeft);
  const Grant first = a.Acquire();
  EXPECT_TRUE(b.IsBusy());
  EXPECT_TRUE(a.IsBusy());
  EXPECT_NE(b.Left(), kNothingLeft);
  EXPECT_TRUE(a.Extend(first));
  Grant foreign = first;
  foreign.owner = "nobody";
  EXPECT_EQ(b.Release(foreign), ReleaseResult::kNotOwner);
  EXPECT_FALSE(b.Extend(foreign));
  EXPECT_EQ(a.Release(first), ReleaseResult::kReleased);
  EXPECT_EQ(a.Release(first), ReleaseResult::kNotOwner);
  EXPECT_EQ(b.Left(), kNothingLeft);
  const Grant second = b.Acquire();
  EXPECT_FALSE(a.Extend(first));
  EXPECT_TRUE(b.Extend(second));
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
  (void)clients_[0]->Acquire();
  EXPECT_TRUE(clients_[1]->IsBusy());
  clients_[0].reset();
  (void)clients_[1]->Acquire();
}
TEST_P(SessionLocksOnServer, ARestartOfTheServerLosesTheLock) {
  const Grant grant = clients_[0]->Acquire();
  server_->Kill();
  server_->Start();
  (void)clients_[1]->Acquire();
  EXPECT_FALSE(clients_[0]->Extend(grant));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kNotOwner);
}
INSTANTIATE_TEST_SUITE_P(Each, SessionLocksOnServer,
                         ::testing::Values("mariadb-get-lock", "postgres-advisory"), NameOfSqlLock);

TEST_P(SessionLocksOnServer, AnotherClientIsGrantedOnceTheServerEndsTheSession) {
  const Grant grant = clients_[0]->Acquire();
  const bool is_mariadb = FindLock(GetParam())->service == kMariaDbService;
  EXPECT_EQ(testing::RunSql(*server_->Open(),
                            is_mariadb ? "EXECUTE IMMEDIATE CONCAT('KILL ', IS_USED_LOCK('" +
                                             kSqlKey.name + "'))"
                                       : "SELECT pg_terminate_backend(pid) FROM pg_locks "
                                         "WHERE locktype = 'advisory'"),
            is_mariadb ? "" : "[t]");
  (void)clients_[1]->Acquire();
  EXPECT_FALSE(clients_[0]->Extend(grant));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kNotOwner);
}

using PostgresLeaseOnServer = SqlLocks;
TEST_P(PostgresLeaseOnServer, ARestartOfTheServerKeepsTheLeaseAndTheToken) {
  const Grant grant = clients_[0]->Acquire();
  server_->Kill();
  server_->Start();
  EXPECT_TRUE(clients_[1]->IsBusy());
  EXPECT_TRUE(Eventually([&] { return clients_[0]->Extend(grant); }));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kReleased);
  EXPECT_EQ(clients_[1]->Acquire().token, grant.token + 1);
}
TEST_P(PostgresLeaseOnServer, AnotherClientIsGrantedOnceTheLeaseIsOver) {
  const Grant first = clients_[0]->Acquire(300ms);
  const Grant second = clients_[1]->Acquire();
  EXPECT_GE(RealMono(), first.valid_until);
  EXPECT_EQ(second.token, first.token + 1);
  EXPECT_EQ(clients_[0]->Release(first), ReleaseResult::kNotOwner);
}
INSTANTIATE_TEST_SUITE_P(One, PostgresLeaseOnServer, ::testing::Values("postgres-lease"));

}  // namespace
}  // namespace doublehold
