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

// A waiter that polled would not be granted within kPatience.
constexpr RetryPolicy kWatchesOnly{
    .interval = 2 * kPatience, .timeout = kPatience, .call_timeout = kPatience};

// The tests of a suite share a server, since its JVM starts slowly. Each has a key of its own.
class ZooKeeperLockOnServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (testing::WhyNoZooKeeper().empty()) server_ = std::make_unique<ZooKeeperServer>();
  }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    if (const std::string why = testing::WhyNoZooKeeper(); !why.empty()) GTEST_SKIP() << why;
    clients_ = testing::MakeClients(server_->address(), 3, {"zookeeper"});
  }
  bool IsGranted(size_t client, bool reads = false) {
    return std::holds_alternative<Granted>(clients_[client]->Try(reads ? read_key_ : key_));
  }
  Grant Acquire(size_t client, bool reads = false) {
    return clients_[client]->AcquireEventually(reads ? read_key_ : key_, kWatchesOnly);
  }

  static inline std::unique_ptr<ZooKeeperServer> server_;
  const LockKey key_{.name = ::testing::UnitTest::GetInstance()->current_test_info()->name()};
  const LockKey read_key_{.name = key_.name, .shared = true};
  testing::LockClients clients_;
};

TEST_F(ZooKeeperLockOnServer, ClientsAreGrantedOneAtATimeWithIncreasingTokens) {
  testing::ExpectGrantedOneAtATime(clients_, key_, kWatchesOnly);
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
  const Grant grant = holder.AcquireEventually(key_, kWatchesOnly);
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
        const Grant grant = Acquire(i, reads);
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
  const Grant first = Acquire(0, /*reads=*/true);
  const Grant second = Acquire(1, /*reads=*/true);
  EXPECT_FALSE(IsGranted(2));
  EXPECT_FALSE(IsGranted(3, /*reads=*/true));
  EXPECT_EQ(clients_[0]->Release(first), ReleaseResult::kReleased);
  EXPECT_FALSE(IsGranted(2));
  EXPECT_EQ(clients_[1]->Release(second), ReleaseResult::kReleased);
  const Grant write = Acquire(2);
  EXPECT_FALSE(IsGranted(3, /*reads=*/true));
  EXPECT_EQ(clients_[2]->Release(write), ReleaseResult::kReleased);
  EXPECT_TRUE(Acquire(3, /*reads=*/true).shared);
}

}  // namespace
}  // namespace doublehold
