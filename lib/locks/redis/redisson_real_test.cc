// Redisson's locks on real servers: wake-ups, the watchdog, releases, readers.
#include "lib/testing/variants.h"

namespace doublehold {
namespace {

using testing::Client;
using testing::Eventually;
using testing::kLongLease;
using testing::kPatience;
using testing::kShortLease;
using testing::OnServers;
using testing::Variant;

const LockKey kRedissonKey{.name = "k"};
const LockKey kRedissonToRead{.name = "k", .shared = true};

class RedissonTest : public OnServers {};

TEST_F(RedissonTest, ARefusalCarriesTheHoldersRemainingLease) {
  for (const char* lock :
       {"redisson", "redisson-spin", "redisson-fenced", "redisson-read-write", "redisson-fair"}) {
    SCOPED_TRACE(lock);
    Empty();
    Client a(1, {lock});
    Client b(2, {lock});
    (void)a.Acquire(kRedissonKey);
    const AcquireResult refused = b.Try(kRedissonKey);
    ASSERT_TRUE(std::holds_alternative<Busy>(refused));
    EXPECT_GT(std::get<Busy>(refused).retry_hint, 0ms);
    EXPECT_LE(std::get<Busy>(refused).retry_hint, kLongLease);
    ASSERT_EQ(AskNode(1, {"PERSIST", "k"}), "1");
    EXPECT_EQ(std::get<Busy>(Client(3, {"redisson"}).Try(kRedissonKey)).retry_hint, 0ms)
        << "a key without expiry is no hint";
  }
}

TEST_F(RedissonTest, AReleaseWakesAWaiter) {
  for (const char* lock : {"redisson", "redisson-fenced", "redisson-read-write", "redisson-fair"}) {
    SCOPED_TRACE(lock);
    Empty();
    Client a(1, {lock});
    Client b(2, {lock});
    const Grant grant = a.Acquire(kRedissonKey);
    ASSERT_TRUE(b.IsBusy(kRedissonKey));
    Subscription* wake_ups = b.lock().WakeUps(kRedissonKey);
    ASSERT_NE(wake_ups, nullptr);
    EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience)) << "subscribed: look once";
    EXPECT_FALSE(wake_ups->Wait(RealMono() + 20ms)) << "still held";
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
    EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience));
    (void)b.Acquire(kRedissonKey);
  }
}

TEST_F(RedissonTest, TheWatchdogKeepsTheLockBeyondItsLease) {
  constexpr Lease kWatched = 1500ms;
  struct Case {
    const char* lock;
    LockKey key;
  };
  for (const Case& c :
       {Case{"redisson", kRedissonKey}, Case{"redisson-fair", kRedissonKey},
        Case{"redisson-read-write", kRedissonKey}, Case{"redisson-read-write", kRedissonToRead}}) {
    SCOPED_TRACE(c.lock);
    Empty();
    Client a(1, {c.lock}, kWatched);
    Client b(2, {c.lock}, kWatched);
    const Grant grant = a.Acquire(c.key);
    while (a.env().Mono() < grant.valid_until + 100ms) {
      ASSERT_TRUE(b.IsBusy(kRedissonKey));
      a.env().SleepUntil(a.env().Mono() + 20ms);
    }
    if (c.key.shared) {
      EXPECT_GT(std::stoll(AskNode(1, {"PTTL", "{k}:" + grant.owner + ":rwlock_timeout:1"})), 0)
          << "an entry's own key is kept too";
    }
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
    (void)b.AcquireEventually(kRedissonKey);
  }
}

TEST_F(RedissonTest, TheWatchdogDoesNotExtendAReleasedGrant) {
  Client b(2, {"redisson", {{"explicit-lease", "true"}}}, kShortLease);
  Client a(1, {"redisson"}, kShortLease);
  const Grant grant = a.Acquire(kRedissonKey);
  ASSERT_EQ(a.Release(grant), ReleaseResult::kReleased);
  // The test sets the key again with the same owner. The watchdog must not extend this key.
  ASSERT_EQ(AskNode(1, {"HSET", "k", grant.owner, "1"}), "1");
  ASSERT_EQ(AskNode(1, {"PEXPIRE", "k", "300"}), "1");
  (void)b.AcquireEventually(kRedissonKey);
}

TEST_F(RedissonTest, ReleasingAnUnknownAcquireKeepsTheOuterEntry) {
  Client a(1, {"redisson"});
  const Grant outer = a.Acquire(kRedissonKey);
  // Case 1: the acquire was never executed, because the server lost the command.
  const Grant perhaps{.key = kRedissonKey, .owner = outer.owner, .hold = outer.hold + 100};
  EXPECT_EQ(a.Release(perhaps), ReleaseResult::kNotOwner);
  EXPECT_EQ(AskNode(1, {"HGETALL", "k"}), "[" + outer.owner + ", 1]");
  // Case 2: the acquire was executed. There are two entries now, and the release removes one.
  ASSERT_EQ(AskNode(1, {"HINCRBY", "k", outer.owner, "1"}), "2");
  EXPECT_EQ(a.Release(perhaps), ReleaseResult::kReleased);
  EXPECT_EQ(a.Release(outer), ReleaseResult::kReleased);
  EXPECT_EQ(AskNode(1, {"EXISTS", "k"}), "0");
}

TEST_F(RedissonTest, AnInnerAcquireAndItsReleaseEachRenewTheLease) {
  for (const char* lock :
       {"redisson", "redisson-fair", "redisson-fenced", "redisson-spin", "redisson-read-write"}) {
    SCOPED_TRACE(lock);
    Empty();
    Client a(1, {lock});
    const auto left_ms = [] { return std::stoll(AskNode(1, {"PTTL", "k"})); };
    const auto almost_end = [] { ASSERT_EQ(AskNode(1, {"PEXPIRE", "k", "20000"}), "1"); };
    (void)a.Acquire(kRedissonKey);
    almost_end();
    const Grant inner = a.Acquire(kRedissonKey);
    EXPECT_GT(left_ms(), 20'000);
    almost_end();
    EXPECT_EQ(a.Release(inner), ReleaseResult::kReleased);
    EXPECT_GT(left_ms(), 20'000);
  }
}

// The behaviour is Redisson's. A lost release leaves an entry. If the same thread acquires again
// within the lease, it adds a second entry, and its release renews the lease.
TEST_F(RedissonTest, AfterALostReleaseTheSameThreadKeepsTheLock) {
  for (const char* lock :
       {"redisson", "redisson-fair", "redisson-fenced", "redisson-spin", "redisson-read-write"}) {
    SCOPED_TRACE(lock);
    Empty();
    // The session whose release is lost has no watchdog any more, so the test destroys this client.
    std::optional<Client> before(std::in_place, 1, Variant{lock});
    const std::string owner = before->Acquire(kRedissonKey).owner;
    const std::string entry = owner + (lock == std::string("redisson-read-write") ? ":write" : "");
    before.reset();
    Client same(1, {lock});
    Client other(2, {lock});
    for (int time = 0; time < 3; ++time) {
      const Grant grant = same.Acquire(kRedissonKey);
      ASSERT_EQ(grant.owner, owner);
      EXPECT_EQ(AskNode(1, {"HGET", "k", entry}), "2");
      ASSERT_EQ(AskNode(1, {"PEXPIRE", "k", "20000"}), "1");
      EXPECT_EQ(same.Release(grant), ReleaseResult::kReleased);
      EXPECT_EQ(AskNode(1, {"HGET", "k", entry}), "1");
      EXPECT_GT(std::stoll(AskNode(1, {"PTTL", "k"})), 20'000);
      EXPECT_TRUE(other.IsBusy(kRedissonKey));
    }
    ASSERT_EQ(AskNode(1, {"PEXPIRE", "k", "0"}), "1");  // ends the lease
    (void)other.AcquireEventually(kRedissonKey);
  }
}

TEST_F(RedissonTest, ReleasingALostLockWakesReadersAndWriters) {
  for (const LockKey& key : {kRedissonKey, kRedissonToRead}) {
    Empty();
    Client a(1, {"redisson-read-write"});
    Client b(2, {"redisson-read-write"});
    const Grant grant = a.Acquire(key);
    Subscription* wake_ups = b.lock().WakeUps(kRedissonKey);
    EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience)) << "subscribed: look once";
    ASSERT_EQ(AskNode(1, {"DEL", "k"}), "1");
    EXPECT_EQ(a.Release(grant), ReleaseResult::kNotOwner);
    EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience));
  }
}

// ---- redisson-read-write

TEST_F(RedissonTest, AWriterMayReadAndStaysAReaderAfterItsWriteRelease) {
  Client a(1, {"redisson-read-write"});
  Client b(2, {"redisson-read-write"});
  const Grant written = a.Acquire(kRedissonKey);
  const Grant read = a.Acquire(kRedissonToRead);
  EXPECT_TRUE(read.shared);
  EXPECT_TRUE(b.IsBusy(kRedissonToRead));
  EXPECT_EQ(a.Release(written), ReleaseResult::kReleased);
  EXPECT_TRUE(b.IsBusy(kRedissonKey));
  const Grant beside = b.Acquire(kRedissonToRead);
  EXPECT_TRUE(a.IsBusy(kRedissonKey)) << "a reader does not become a writer";
  EXPECT_EQ(a.Release(read), ReleaseResult::kReleased);
  EXPECT_EQ(b.Release(beside), ReleaseResult::kReleased);
  EXPECT_EQ(AskNode(1, {"DBSIZE"}), "0");
}

TEST_F(RedissonTest, ADeadReadersEntryEndsWithItsOwnLease) {
  const Variant variant{"redisson-read-write", {{"explicit-lease", "true"}}};
  Client gone(1, variant, kShortLease);
  Client reader(2, variant);
  Client writer(3, variant);
  const Grant lost = gone.Acquire(kRedissonToRead);
  const Grant kept = reader.Acquire(kRedissonToRead);
  ASSERT_TRUE(Eventually([&] {
    return AskNode(1, {"EXISTS", "{k}:" + lost.owner + ":rwlock_timeout:1"}) == "0";
  }));
  EXPECT_TRUE(writer.IsBusy(kRedissonKey));
  EXPECT_EQ(reader.Release(kept), ReleaseResult::kReleased);
  const Grant written = writer.Acquire(kRedissonKey);
  EXPECT_EQ(gone.Release(lost), ReleaseResult::kNotOwner);
  EXPECT_TRUE(reader.IsBusy(kRedissonToRead)) << "still the writer's";
  EXPECT_EQ(writer.Release(written), ReleaseResult::kReleased);
}

TEST_F(RedissonTest, TheHashLivesAsLongAsItsLongestReader) {
  const Variant variant{"redisson-read-write", {{"explicit-lease", "true"}}};
  Client lasting(1, variant);
  Client brief(2, variant, kShortLease);
  const auto left_ms = [] { return std::stoll(AskNode(1, {"PTTL", "k"})); };
  const Grant kept = lasting.Acquire(kRedissonToRead);
  (void)brief.Acquire(kRedissonToRead);
  EXPECT_GT(left_ms(), ToMs(kShortLease)) << "entering never shortens it";
  EXPECT_EQ(lasting.Release(kept), ReleaseResult::kReleased);
  EXPECT_LE(left_ms(), ToMs(kShortLease)) << "what is left is brief";
}

TEST_F(RedissonTest, AReentryOfTheWriterAddsALease) {
  Client a(1, {"redisson-read-write"});
  const Grant outer = a.Acquire(kRedissonKey);
  const Grant inner = a.Acquire(kRedissonKey);
  EXPECT_GT(std::stoll(AskNode(1, {"PTTL", "k"})), ToMs(kLongLease));
  EXPECT_EQ(a.Release(inner), ReleaseResult::kReleased);
  EXPECT_LE(std::stoll(AskNode(1, {"PTTL", "k"})), ToMs(kLongLease)) << "set anew";
  EXPECT_EQ(a.Release(outer), ReleaseResult::kReleased);
}

TEST_F(RedissonTest, AWriterStaysTheWriterAfterItsReadRelease) {
  Client a(1, {"redisson-read-write"});
  Client b(2, {"redisson-read-write"});
  const Grant written = a.Acquire(kRedissonKey);
  const Grant read = a.Acquire(kRedissonToRead);
  EXPECT_EQ(a.Release(read), ReleaseResult::kReleased);
  EXPECT_TRUE(b.IsBusy(kRedissonToRead));
  EXPECT_TRUE(b.IsBusy(kRedissonKey));
  EXPECT_EQ(a.Release(written), ReleaseResult::kReleased);
  (void)b.Acquire(kRedissonKey);
}

}  // namespace
}  // namespace doublehold
