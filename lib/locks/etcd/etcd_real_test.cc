#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "lib/locks/registry.h"
#include "lib/locks/retry.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/etcd_server.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::EtcdServer;
using testing::kPatience;

using std::chrono_literals::operator""min;

constexpr Lease kLongTtl = 2min;  // longer than kPatience
const LockKey kEtcdKey{.name = "dh:item:0"};

class EtcdClient {
 public:
  EtcdClient(const NodeAddress& server, int number, std::string_view name,
             Duration lease = kLongTtl)
      : process_{.number = number, .seed = 7, .addresses = {{}, server}} {
    const LockEntry& entry = *FindLock(name);
    options_ = *CompleteOptions(name, entry.options, {}, lease);
    lock_ = entry.make({.env = env_,
                        .client = number,
                        .seed = 7,
                        .lease = lease,
                        .call_timeout = kPatience,
                        .options = Options(options_)});
  }

  // Tries once, and gives up soundly.
  bool IsGranted(Duration call = kPatience) {
    return std::holds_alternative<Granted>(
        AcquireWithRetry(env_, *lock_, kEtcdKey, kLongTtl, {.call_timeout = call}));
  }
  Grant Acquire() {
    const RetryPolicy policy{.interval = 10ms, .timeout = kPatience, .call_timeout = kPatience};
    AcquireResult result = AcquireWithRetry(env_, *lock_, kEtcdKey, kLongTtl, policy);
    if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << "never granted";
    return {};
  }
  ReleaseResult Release(const Grant& grant) {
    return lock_->Release(grant, env_.Mono() + kPatience);
  }

 private:
  RealProcess process_;
  RealEnv env_{process_, TaskKind::kSession};
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
};

class EtcdLockOnServer : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoEtcd(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<EtcdServer>();
    for (int number = 1; number <= 3; ++number) {
      clients_.push_back(std::make_unique<EtcdClient>(server_->address(), number, GetParam()));
    }
  }

  std::unique_ptr<EtcdServer> server_;
  std::vector<std::unique_ptr<EtcdClient>> clients_;
};

TEST_P(EtcdLockOnServer, ClientsAreGrantedOneAtATimeWithIncreasingTokens) {
  constexpr int kRounds = 50;
  std::atomic<int> holders = 0;
  int64_t last_token = 0;  // guarded by the lock under test
  std::vector<std::thread> threads;
  for (const auto& client : clients_) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const Grant grant = client->Acquire();
        EXPECT_EQ(++holders, 1);
        EXPECT_GT(grant.token, last_token);
        last_token = grant.token;
        --holders;
        EXPECT_EQ(client->Release(grant), ReleaseResult::kReleased);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(EtcdLockOnServer, KeepAlivesHoldTheLockLongerThanTheLease) {
  constexpr Duration kShortTtl = 1s;
  EtcdClient holder(server_->address(), 4, GetParam(), kShortTtl);
  EtcdClient other(server_->address(), 5, GetParam(), kShortTtl);
  const Grant grant = holder.Acquire();
  while (RealMono() < grant.valid_until + 2 * kShortTtl) EXPECT_FALSE(other.IsGranted());
  EXPECT_EQ(holder.Release(grant), ReleaseResult::kReleased);
}

TEST_P(EtcdLockOnServer, AWaiterIsGrantedAfterTriesThatTimedOut) {
  const Grant grant = clients_[0]->Acquire();
  for (int tries = 0; tries < 3; ++tries) EXPECT_FALSE(clients_[1]->IsGranted(/*call=*/50ms));
  EXPECT_EQ(clients_[0]->Release(grant), ReleaseResult::kReleased);
  EXPECT_GT(clients_[1]->Acquire().token, grant.token);
}

INSTANTIATE_TEST_SUITE_P(Each, EtcdLockOnServer, ::testing::Values("etcd", "etcd-lock-api"),
                         [](const auto& info) {
                           return std::string(info.param) == "etcd" ? "Mutex" : "LockApi";
                         });

}  // namespace
}  // namespace doublehold
