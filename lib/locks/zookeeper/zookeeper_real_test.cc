#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "lib/testing/lock_client.h"
#include "lib/testing/zookeeper_server.h"

namespace doublehold {
namespace {

using testing::kPatience;
using testing::LockClient;
using testing::ZooKeeperServer;

const LockKey kQueueKey{.name = "dh:item:0"};
const LockKey kQueueKeyToRead{.name = "dh:item:0", .shared = true};
// A waiter that polled would not be granted within kPatience.
constexpr RetryPolicy kWatchesOnly{
    .interval = 2 * kPatience, .timeout = kPatience, .call_timeout = kPatience};

class ZooKeeperLockOnServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoZooKeeper(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<ZooKeeperServer>();
    clients_ = testing::MakeClients(server_->address(), 3, {"zookeeper"});
  }
  bool IsGranted(size_t client, const LockKey& key = kQueueKey) {
    return std::holds_alternative<Granted>(clients_[client]->Try(key));
  }
  Grant Acquire(size_t client, const LockKey& key = kQueueKey) {
    return clients_[client]->AcquireEventually(key, kWatchesOnly);
  }

  std::unique_ptr<ZooKeeperServer> server_;
  testing::LockClients clients_;
};

TEST_F(ZooKeeperLockOnServer, ClientsAreGrantedOneAtATimeWithIncreasingTokens) {
  testing::ExpectGrantedOneAtATime(clients_, kQueueKey, kWatchesOnly);
}

TEST_F(ZooKeeperLockOnServer, WaitersAreGrantedInTheOrderOfArrival) {
  const Grant first = Acquire(0);
  EXPECT_FALSE(IsGranted(2));
  EXPECT_FALSE(IsGranted(1));
  EXPECT_EQ(clients_[0]->Release(first), ReleaseResult::kReleased);
  EXPECT_FALSE(IsGranted(1));
  const Grant second = Acquire(2);
  EXPECT_FALSE(IsGranted(1));
  EXPECT_EQ(clients_[2]->Release(second), ReleaseResult::kReleased);
  EXPECT_TRUE(IsGranted(1));
}

TEST_F(ZooKeeperLockOnServer, HeartbeatsKeepTheLockLongerThanTheTimeout) {
  constexpr Duration kTimeout = 2s;
  LockClient holder({{}, server_->address()}, 4, {"zookeeper"}, kTimeout);
  const Grant grant = holder.AcquireEventually(kQueueKey, kWatchesOnly);
  while (RealMono() < grant.valid_until + kTimeout / 4) EXPECT_FALSE(IsGranted(0));
  EXPECT_EQ(holder.Release(grant), ReleaseResult::kReleased);
}

TEST_F(ZooKeeperLockOnServer, AClosedSessionFreesTheLock) {
  (void)Acquire(0);
  EXPECT_FALSE(IsGranted(1));
  clients_[0].reset();  // closes its session
  (void)Acquire(1);
}

class ZooKeeperReadWriteOnServer : public ZooKeeperLockOnServer {
 protected:
  void SetUp() override {
    ZooKeeperLockOnServer::SetUp();
    if (server_ == nullptr) return;
    clients_ = testing::MakeClients(server_->address(), 4, {"zookeeper-read-write"});
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
        const Grant grant = Acquire(i, reads ? kQueueKeyToRead : kQueueKey);
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
  const Grant first = Acquire(0, kQueueKeyToRead);
  const Grant second = Acquire(1, kQueueKeyToRead);
  EXPECT_FALSE(IsGranted(2));
  EXPECT_FALSE(IsGranted(3, kQueueKeyToRead));
  EXPECT_EQ(clients_[0]->Release(first), ReleaseResult::kReleased);
  EXPECT_FALSE(IsGranted(2));
  EXPECT_EQ(clients_[1]->Release(second), ReleaseResult::kReleased);
  const Grant write = Acquire(2);
  EXPECT_FALSE(IsGranted(3, kQueueKeyToRead));
  EXPECT_EQ(clients_[2]->Release(write), ReleaseResult::kReleased);
  EXPECT_TRUE(Acquire(3, kQueueKeyToRead).shared);
}

}  // namespace
}  // namespace doublehold
