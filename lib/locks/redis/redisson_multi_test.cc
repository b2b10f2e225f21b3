#include "lib/locks/redis/redisson_multi.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "lib/testing/scripted_lock.h"

namespace doublehold {
namespace {

using testing::Attempt;
using testing::FakeEnv;
using testing::FormatEvents;
using testing::ScriptedLock;
using testing::World;
using RedissonMultiLines = std::vector<std::string>;
using RedissonMultiOutcome = Attempt::Outcome;

constexpr Lease kRedissonMultiLease = 1s;
constexpr RetryPolicy kPolicy{.interval = 40ms, .timeout = 10s, .call_timeout = 1s};
const std::array<LockKey, 2> kKeys{LockKey{.name = "a", .index = 0},
                                   LockKey{.name = "b", .index = 1}};

struct RedissonMultiScene {
  explicit RedissonMultiScene(std::vector<Attempt> attempts) : lock(world, std::move(attempts)) {}
  ManyEntry Enter(const RetryPolicy& policy = kPolicy) {
    return WithLocks(env, lock, kKeys, kRedissonMultiLease, policy,
                     [&](std::span<const Grant> given) {
                       for (const Grant& grant : given) granted.push_back(grant.key.name);
                       world.Advance(10ms);
                     });
  }
  World world;
  FakeEnv env{world};
  ScriptedLock lock;
  RedissonMultiLines granted;
};

TEST(WithLocks, AcquiresTheKeysInTheGivenOrderAndReleasesAll) {
  RedissonMultiScene scene({{.outcome = RedissonMultiOutcome::kGranted, .takes = 5ms}});
  EXPECT_TRUE(scene.Enter().entered);
  EXPECT_EQ(scene.granted, (RedissonMultiLines{"a", "b"}));
  EXPECT_EQ(scene.lock.said,
            (RedissonMultiLines{"0 acquire", "5 acquire", "20 release 1", "20 release 2"}));
  EXPECT_EQ(scene.world.steps,
            (std::vector<Step>{Step::kAfterAcquire, Step::kBeforeRelease, Step::kAfterRelease}));
}

TEST(WithLocks, RecordsAWaitForEachKey) {
  RedissonMultiScene scene({{.outcome = RedissonMultiOutcome::kGranted, .takes = 5ms}});
  (void)scene.Enter();
  EXPECT_EQ(FormatEvents(scene.world.events),
            (RedissonMultiLines{"0 invoke wait", "0 invoke wait", "10 ok wait", "10 ok wait"}));
  EXPECT_EQ(scene.world.events[3].key, 1);
  EXPECT_EQ(scene.world.events[2].hold, 1u);
  EXPECT_EQ(scene.world.events[3].hold, 2u);
}

TEST(WithLocks, ReleasesTheGrantedKeysWhenAnotherKeyIsNotGrantedInTime) {
  // The second key stays busy for a whole round. A round takes a tenth of the lease.
  RedissonMultiScene scene({{.outcome = RedissonMultiOutcome::kGranted},
                            {},
                            {},
                            {},
                            {.outcome = RedissonMultiOutcome::kGranted}});
  EXPECT_TRUE(scene.Enter().entered);
  const RedissonMultiLines said(scene.lock.said.begin(), scene.lock.said.begin() + 5);
  EXPECT_EQ(said, (RedissonMultiLines{"0 acquire", "0 acquire", "40 acquire", "80 acquire",
                                      "100 release 1"}));
  EXPECT_EQ(scene.granted, (RedissonMultiLines{"a", "b"}));
}

TEST(WithLocks, ReleasesTheKeysWhenTheRoundTookTooMuchOfTheLease) {
  RedissonMultiScene scene({{.outcome = RedissonMultiOutcome::kGranted},
                            {.outcome = RedissonMultiOutcome::kGranted, .takes = 600ms},
                            {.outcome = RedissonMultiOutcome::kGranted}});
  EXPECT_TRUE(scene.Enter().entered);
  EXPECT_EQ(scene.lock.said[2], "600 release 1");
  EXPECT_EQ(scene.lock.said[3], "600 release 2");
  EXPECT_EQ(scene.granted.size(), 2u);
}

TEST(WithLocks, GivesUpWithoutGrantsAtTheTimeout) {
  RedissonMultiScene scene({Attempt{}});
  RetryPolicy policy = kPolicy;
  policy.timeout = 500ms;
  EXPECT_FALSE(scene.Enter(policy).entered);
  EXPECT_TRUE(scene.granted.empty());
  EXPECT_LE(scene.world.Elapsed(), 600ms);
  const RedissonMultiLines told = FormatEvents(scene.world.events);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_TRUE(told[2].ends_with("fail wait") && told[3].ends_with("fail wait"));
  EXPECT_TRUE(scene.world.steps.empty());
}

TEST(WithLocks, WithoutATimeoutThereIsOneRound) {
  RedissonMultiScene scene({{.outcome = RedissonMultiOutcome::kGranted}, {}});
  EXPECT_FALSE(scene.Enter({.interval = 40ms}).entered);
  EXPECT_EQ(scene.lock.said, (RedissonMultiLines{"0 acquire", "0 acquire", "0 release 1"}));
}

TEST(WithLocks, ReleasesAllKeysWhenTheBodyThrows) {
  RedissonMultiScene scene({{.outcome = RedissonMultiOutcome::kGranted}});
  EXPECT_THROW(WithLocks(scene.env, scene.lock, kKeys, kRedissonMultiLease, kPolicy,
                         [](std::span<const Grant>) { throw std::runtime_error("section"); }),
               std::runtime_error);
  EXPECT_EQ(scene.lock.said,
            (RedissonMultiLines{"0 acquire", "0 acquire", "0 release 1", "0 release 2"}));
}

TEST(WithLocks, ALockThatTakesKeysTogetherAcquiresAndReleasesThemAtOnce) {
  RedissonMultiScene scene({{}, {.outcome = RedissonMultiOutcome::kGranted}});
  scene.lock.takes_keys_together = true;
  EXPECT_TRUE(scene.Enter().entered);
  EXPECT_EQ(scene.lock.said, (RedissonMultiLines{"0 acquire", "40 acquire", "50 release 2"}));
  EXPECT_EQ(scene.lock.last_key.name, "a");
  ASSERT_EQ(scene.lock.last_key.also.size(), 1U);
  EXPECT_EQ(scene.lock.last_key.also[0].name, "b");
  EXPECT_EQ(scene.granted, (RedissonMultiLines{"a", "b"}));
  EXPECT_EQ(scene.world.events.back().hold, 3U) << "the hold of the second key";
}

TEST(WithLocks, WithoutAGrantOfAllKeysTogetherTheBodyDoesNotRun) {
  RedissonMultiScene scene({{.outcome = RedissonMultiOutcome::kUnknown}});
  scene.lock.takes_keys_together = true;
  EXPECT_FALSE(scene.Enter({.interval = 40ms}).entered);
  EXPECT_EQ(scene.lock.said, (RedissonMultiLines{"0 acquire", "0 release 1"}));
  EXPECT_TRUE(scene.granted.empty());
}

}  // namespace
}  // namespace doublehold
