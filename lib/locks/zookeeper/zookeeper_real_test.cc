#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "lib/locks/registry.h"
#include "lib/locks/retry.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/servers.h"
#include "lib/testing/zookeeper_server.h"

namespace doublehold {
namespace {

using testing::kPatience;
using testing::ZooKeeperServer;

using std::chrono_literals::operator""min;

constexpr Lease kSessionTimeout = 2min;  // longer than kPatience
const LockKey kQueueKey{.name = "dh:item:0"};
const LockKey kQueueKeyToRead{.name = "dh:item:0", .shared = true};
// A waiter that polled would not be granted within kPatience.
constexpr RetryPolicy kWatchesOnly{
    .interval = 2 * kPatience, .timeout = kPatience, .call_timeout = kPatience};

class ZooKeeperClient {
 public:
  ZooKeeperClient(const NodeAddress& server, int number, Duration timeout = kSessionTimeout,
                  const char* name = "zookeeper")
      : process_{.number = number, .seed = 7, .addresses = {{}, server}} {
    const LockEntry& entry = *FindLock(name);
    options_ = *CompleteOptions(name, entry.options, {}, timeout);
    lock_ = entry.make({.env = env_,
                        .client = number,
                        .seed = 7,
                        .lease = timeout,
                        .call_timeout = kPatience,
                        .options = Options(options_)});
  }

  bool IsGranted(const LockKey& key = kQueueKey) {
    return std::holds_alternative<Granted>(
        lock_->TryAcquire(key, kSessionTimeout, env_.Mono() + kPatience));
  }
  Grant Acquire(const LockKey& key = kQueueKey) {
    AcquireResult result = AcquireWithRetry(env_, *lock_, key, kSessionTimeout, kWatchesOnly);
    if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << "never granted";
    return {};
  }
  ReleaseResult Release(const Grant& grant) {
    return lock_->Release(grant, env_.Mono() + kPatience);
  }
  void CloseSession() { lock_.reset(); }

 private:
  RealProcess process_;
  RealEnv env_{process_, TaskKind::kSession};
  std::map<std::string, std::string> options_;
  std::unique_ptr<Lock> lock_;
};

class ZooKeeperLockOnServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoZooKeeper(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<ZooKeeperServer>();
    for (int number = 1; number <= 3; ++number)
      clients_.push_back(std::make_unique<ZooKeeperClient>(server_->address(), number));
  }

  std::unique_ptr<ZooKeeperServer> server_;
  std::vector<std::unique_ptr<ZooKeeperClient>> clients_;
};

TEST_F(ZooKeeperLockOnServer, ClientsAreGrantedOneAtATimeWithIncreasingTokens) {
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

TEST_F(ZooKeeperLockOnServer, WaitersAreGrantedInTheOrderOfArrival) {
  const Grant first = clients_[0]->Acquire();
  EXPECT_FALSE(clients_[2]->IsGranted());
  EXPECT_FALSE(clients_[1]->IsGranted());
  EXPECT_EQ(clients_[0]->Release(first), ReleaseResult::kReleased);
  EXPECT_FALSE(clients_[1]->IsGranted());
  const Grant second = clients_[2]->Acquire();
  EXPECT_FALSE(clients_[1]->IsGranted());
  EXPECT_EQ(clients_[2]->Release(second), ReleaseResult::kReleased);
  EXPECT_TRUE(clients_[1]->IsGranted());
}

TEST_F(ZooKeeperLockOnServer, HeartbeatsKeepTheLockLongerThanTheTimeout) {
  constexpr Duration kTimeout = 2s;
  ZooKeeperClient holder(server_->address(), 4, kTimeout);
  const Grant grant = holder.Acquire();
  while (RealMono() < grant.valid_until + kTimeout / 4) EXPECT_FALSE(clients_[0]->IsGranted());
  EXPECT_EQ(holder.Release(grant), ReleaseResult::kReleased);
}

TEST_F(ZooKeeperLockOnServer, AClosedSessionFreesTheLock) {
  (void)clients_[0]->Acquire();
  EXPECT_FALSE(clients_[1]->IsGranted());
  clients_[0]->CloseSession();
  (void)clients_[1]->Acquire();
}

class ZooKeeperReadWriteOnServer : public ZooKeeperLockOnServer {
 protected:
  void SetUp() override {
    ZooKeeperLockOnServer::SetUp();
    if (server_ == nullptr) return;
    clients_.clear();
    for (int number = 1; number <= 4; ++number) {
      clients_.push_back(std::make_unique<ZooKeeperClient>(
          server_->address(), number, kSessionTimeout, "zookeeper-read-write"));
    }
  }
};

TEST_F(ZooKeeperReadWriteOnServer, AWriterHoldsAlone) {
  constexpr int kRounds = 50;
  std::atomic<int> readers = 0;
  std::atomic<int> writers = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < clients_.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        const bool reads = (round + static_cast<int>(i)) % 2 == 0;
        const Grant grant = clients_[i]->Acquire(reads ? kQueueKeyToRead : kQueueKey);
        if (reads) {
          ++readers;
          EXPECT_EQ(writers, 0);
          --readers;
        } else {
          EXPECT_EQ(++writers, 1);
          EXPECT_EQ(readers, 0);
          --writers;
        }
        EXPECT_EQ(clients_[i]->Release(grant), ReleaseResult::kReleased);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ZooKeeperReadWriteOnServer, ReadersShareButDoNotPassAWaitingWriter) {
  const Grant first = clients_[0]->Acquire(kQueueKeyToRead);
  const Grant second = clients_[1]->Acquire(kQueueKeyToRead);
  EXPECT_FALSE(clients_[2]->IsGranted());
  EXPECT_FALSE(clients_[3]->IsGranted(kQueueKeyToRead));
  EXPECT_EQ(clients_[0]->Release(first), ReleaseResult::kReleased);
  EXPECT_FALSE(clients_[2]->IsGranted());
  EXPECT_EQ(clients_[1]->Release(second), ReleaseResult::kReleased);
  const Grant write = clients_[2]->Acquire();
  EXPECT_FALSE(clients_[3]->IsGranted(kQueueKeyToRead));
  EXPECT_EQ(clients_[2]->Release(write), ReleaseResult::kReleased);
  EXPECT_TRUE(clients_[3]->Acquire(kQueueKeyToRead).shared);
}

}  // namespace
}  // namespace doublehold
