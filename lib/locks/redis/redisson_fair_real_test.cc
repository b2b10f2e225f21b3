// redisson-fair on a real server: the order of its queue and of its grants.
#include <array>
#include <mutex>
#include <thread>

#include "lib/testing/variants.h"

namespace doublehold {
namespace {

using testing::Client;
using testing::Eventually;
using testing::kLongLease;
using testing::kPatience;
using testing::OnServers;
using testing::Variant;

const LockKey kRedissonFairKey{.name = "k"};
constexpr const char* kQueue = "redisson_lock_queue:{k}";
constexpr const char* kInstants = "redisson_lock_timeout:{k}";

class Fair : public OnServers {
 protected:
  static int64_t InstantOf(const std::string& owner) {
    return std::stoll(AskNode(1, {"ZSCORE", kInstants, owner}));
  }
  static std::string Queue() { return AskNode(1, {"LRANGE", kQueue, "0", "-1"}); }
  static void GiveUp(Client& client) {
    EXPECT_EQ(client.lock().GiveUp(kRedissonFairKey, RealMono() + kPatience),
              ReleaseResult::kNotOwner);
  }
  // Returns the owner text of a client's session.
  static std::string OwnerOf(int client) {
    return Client(client, {"redisson-fair"})
        .Acquire({.name = "probe" + std::to_string(client)})
        .owner;
  }
};

TEST_F(Fair, EightWaitersAreGrantedInQueueOrder) {
  constexpr int kWaiters = 8;
  Client holder(100, {"redisson-fair"});
  const Grant grant = holder.Acquire(kRedissonFairKey);
  std::mutex mutex;
  std::vector<int> granted;
  std::vector<std::thread> waiters;
  for (int i = 1; i <= kWaiters; ++i) {
    waiters.emplace_back([&, i] {
      Client client(i, {"redisson-fair"});
      const Grant own = client.AcquireEventually(kRedissonFairKey);
      {
        const std::lock_guard lock(mutex);
        granted.push_back(i);
      }
      EXPECT_EQ(client.Release(own), ReleaseResult::kReleased);
    });
    // Starts one waiter at a time, so that the order of the queue is known.
    ASSERT_TRUE(Eventually([&] { return AskNode(1, {"LLEN", kQueue}) == std::to_string(i); }));
  }
  EXPECT_EQ(holder.Release(grant), ReleaseResult::kReleased);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(granted, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(AskNode(1, {"DBSIZE"}), "0") << "nothing is left of queue and instants";
}

TEST_F(Fair, ALaterClientIsRefusedWhileAnEarlierOneQueuesForAFreeLock) {
  Client a(1, {"redisson-fair"});
  Client b(2, {"redisson-fair"});
  Client c(3, {"redisson-fair"});
  const Grant grant = a.Acquire(kRedissonFairKey);
  EXPECT_TRUE(b.IsBusy(kRedissonFairKey));
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  EXPECT_TRUE(c.IsBusy(kRedissonFairKey));
  EXPECT_TRUE(a.IsBusy(kRedissonFairKey)) << "who had it last has to queue like anybody";
  const Grant next = b.Acquire(kRedissonFairKey);
  EXPECT_EQ(b.Release(next), ReleaseResult::kReleased);
  EXPECT_TRUE(a.IsBusy(kRedissonFairKey));
  (void)c.Acquire(kRedissonFairKey);
}

TEST_F(Fair, AWaiterThatGivesUpLeavesTheQueueAndLaterOnesMoveUp) {
  const Variant variant{"redisson-fair", {{"wait-time", "100s"}}};
  std::array<std::string, 5> owners;
  for (int i = 1; i <= 4; ++i) owners[static_cast<size_t>(i)] = OwnerOf(i);
  Empty();
  Client a(1, variant);
  Client b(2, variant);
  Client c(3, variant);
  Client d(4, variant);
  const Grant grant = a.Acquire(kRedissonFairKey);
  for (Client* waiter : {&b, &c, &d}) EXPECT_TRUE(waiter->IsBusy(kRedissonFairKey));
  EXPECT_EQ(Queue(), "[" + owners[2] + ", " + owners[3] + ", " + owners[4] + "]");
  const int64_t first = InstantOf(owners[2]);
  const int64_t third = InstantOf(owners[4]);
  EXPECT_NEAR(static_cast<double>(third - first), 200'000, 2) << "a waiting time each";
  GiveUp(c);
  EXPECT_EQ(Queue(), "[" + owners[2] + ", " + owners[4] + "]");
  EXPECT_EQ(InstantOf(owners[2]), first) << "stands before it";
  EXPECT_EQ(InstantOf(owners[4]), third - 100'000);
  GiveUp(c);
  EXPECT_EQ(InstantOf(owners[4]), third - 100'000) << "only once";
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  EXPECT_TRUE(d.IsBusy(kRedissonFairKey));
  (void)b.Acquire(kRedissonFairKey);
}

TEST_F(Fair, AGrantMovesTheRemainingDeadlinesAWaitTimeEarlier) {
  const Variant variant{"redisson-fair", {{"wait-time", "100s"}}};
  const std::string c_owner = OwnerOf(3);
  Client a(1, variant);
  Client b(2, variant);
  Client c(3, variant);
  const Grant grant = a.Acquire(kRedissonFairKey);
  for (Client* waiter : {&b, &c}) EXPECT_TRUE(waiter->IsBusy(kRedissonFairKey));
  const int64_t before = InstantOf(c_owner);
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  (void)b.Acquire(kRedissonFairKey);
  EXPECT_EQ(InstantOf(c_owner), before - 100'000);
}

TEST_F(Fair, ARefusalCarriesTheTimeUntilTheWaitersTurn) {
  Client a(1, {"redisson-fair"});
  Client b(2, {"redisson-fair"});
  Client c(3, {"redisson-fair"});
  (void)a.Acquire(kRedissonFairKey);
  constexpr Duration kWaitTime = 300s;  // from one waiter's deadline to the next waiter's
  const struct {
    Client* waiter;
    Duration least, most;
  } cases[] = {{&b, 1ms, kLongLease},
               {&b, 1ms, kLongLease},
               {&c, kWaitTime, kWaitTime + kLongLease},
               {&c, kWaitTime, kWaitTime + kLongLease}};
  for (const auto& [waiter, least, most] : cases) {
    const AcquireResult refused = waiter->Try(kRedissonFairKey);
    ASSERT_TRUE(std::holds_alternative<Busy>(refused));
    EXPECT_GE(std::get<Busy>(refused).retry_hint, least);
    EXPECT_LE(std::get<Busy>(refused).retry_hint, most + 10ms);
  }
}

TEST_F(Fair, AReleaseWakesTheHeadEvenWhenTheLockIsGone) {
  Client a(1, {"redisson-fair"});
  Client b(2, {"redisson-fair"});
  const Grant grant = a.Acquire(kRedissonFairKey);
  EXPECT_TRUE(b.IsBusy(kRedissonFairKey));
  Subscription* wake_ups = b.lock().WakeUps(kRedissonFairKey);
  EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience)) << "subscribed: look once";
  ASSERT_EQ(AskNode(1, {"DEL", "k"}), "1");
  EXPECT_EQ(a.Release(grant), ReleaseResult::kNotOwner);
  EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience));
}

TEST_F(Fair, AReleaseSkipsAHeadWhoseDeadlineHasPassed) {
  const std::string b_owner = OwnerOf(2);
  Client a(1, {"redisson-fair"});
  Client b(2, {"redisson-fair"});
  Client c(3, {"redisson-fair"});
  const Grant grant = a.Acquire(kRedissonFairKey);
  for (Client* waiter : {&b, &c}) EXPECT_TRUE(waiter->IsBusy(kRedissonFairKey));
  Subscription* wake_ups = c.lock().WakeUps(kRedissonFairKey);
  EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience)) << "subscribed: look once";
  ASSERT_EQ(AskNode(1, {"ZADD", kInstants, "1000", b_owner}), "0");
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience));
  EXPECT_EQ(AskNode(1, {"ZSCORE", kInstants, b_owner}), "(nil)");
  (void)c.Acquire(kRedissonFairKey);
}

TEST_F(Fair, AWaiterIsDroppedAfterItsDeadline) {
  const Variant variant{"redisson-fair", {{"wait-time", "300ms"}, {"explicit-lease", "true"}}};
  Client a(1, variant);
  Client b(2, variant, kLongLease);
  Client c(3, variant);
  const Grant grant = a.Acquire(kRedissonFairKey);
  EXPECT_TRUE(b.IsBusy(kRedissonFairKey));
  // b's deadline counts from the end of the holder's lease. The test moves this deadline to the
  // past.
  const std::string b_owner = OwnerOf(2);
  ASSERT_EQ(AskNode(1, {"ZADD", kInstants, "1000", b_owner}), "0");
  EXPECT_TRUE(c.IsBusy(kRedissonFairKey));
  EXPECT_EQ(AskNode(1, {"ZSCORE", kInstants, b_owner}), "(nil)");
  EXPECT_EQ(AskNode(1, {"LLEN", kQueue}), "1");
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  EXPECT_TRUE(b.IsBusy(kRedissonFairKey)) << "b queues again, behind c";
  (void)c.Acquire(kRedissonFairKey);
}

TEST_F(Fair, ADeadWaiterBlocksTheQueueOnlyUntilItsDeadline) {
  const Variant variant{"redisson-fair", {{"wait-time", "400ms"}, {"explicit-lease", "true"}}};
  Client a(1, variant, /*lease=*/300ms);
  Client dead(2, variant, /*lease=*/300ms);
  Client c(3, variant, /*lease=*/300ms);
  (void)a.Acquire(kRedissonFairKey);
  ASSERT_TRUE(dead.IsBusy(kRedissonFairKey));
  const int64_t patience_ms = InstantOf(OwnerOf(2));
  (void)c.AcquireEventually(kRedissonFairKey);
  EXPECT_GE(ToMs(c.env().Wall()), patience_ms);
}

}  // namespace
}  // namespace doublehold
