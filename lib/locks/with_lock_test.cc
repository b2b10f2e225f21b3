#include "lib/locks/with_lock.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lib/testing/scripted_lock.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::FormatEvents;
using testing::ScriptedLock;
using testing::World;
using WithLockOutcome = testing::Attempt::Outcome;
using WithLockLines = std::vector<std::string>;

constexpr Lease kWithLockLease = 500ms;
constexpr RetryPolicy kOneTry{.timeout = 0s};

struct WithLockScene {
  World world;
  FakeEnv env{world};
  ScriptedLock lock;
  int entered = 0;

  explicit WithLockScene(WithLockOutcome outcome) : lock(world, {{.outcome = outcome}}) {}
  template <typename Body>
  Entry Run(Body&& body) {
    return WithLock(env, lock, {.name = "k"}, kWithLockLease, kOneTry, [&](const Grant& grant) {
      ++entered;
      world.Advance(20ms);
      body(grant);
    });
  }
};

TEST(WithLock, RunsTheBodyWhileItHoldsTheLockAndReleasesAfterwards) {
  WithLockScene scene(WithLockOutcome::kGranted);
  const Entry entry = scene.Run([&](const Grant& grant) {
    EXPECT_EQ(grant.hold, 1u);
    EXPECT_EQ(scene.lock.said, WithLockLines{"0 acquire"});
  });
  EXPECT_TRUE(entry.entered);
  EXPECT_FALSE(entry.perhaps_left_locked);
  EXPECT_EQ(entry.released, ReleaseResult::kReleased);
  EXPECT_EQ(scene.lock.said, (WithLockLines{"0 acquire", "20 release 1"}));
}

TEST(WithLock, ReleasesWhenTheBodyThrowsAndLetsTheExceptionPass) {
  WithLockScene scene(WithLockOutcome::kGranted);
  EXPECT_THROW((void)scene.Run([](const Grant&) { throw std::runtime_error("sold out"); }),
               std::runtime_error);
  EXPECT_EQ(scene.entered, 1);
  EXPECT_EQ(scene.lock.said, (WithLockLines{"0 acquire", "20 release 1"}));
}

TEST(WithLock, ReleasesWhenTheBodyReturnsEarly) {
  WithLockScene scene(WithLockOutcome::kGranted);
  const auto use = [&]() -> int {
    WithLock(scene.env, scene.lock, {.name = "k"}, kWithLockLease, kOneTry, [&](const Grant&) {
      if (scene.entered == 0) return;
      ++scene.entered;
    });
    return 1;
  };
  EXPECT_EQ(use(), 1);
  EXPECT_EQ(scene.lock.said, (WithLockLines{"0 acquire", "0 release 1"}));
}

TEST(WithLock, DoesNotEnterWhenTheLockIsBusy) {
  WithLockScene scene(WithLockOutcome::kBusy);
  const Entry entry = scene.Run([](const Grant&) {});
  EXPECT_FALSE(entry.entered);
  EXPECT_FALSE(entry.perhaps_left_locked);
  EXPECT_EQ(scene.entered, 0);
  EXPECT_EQ(scene.lock.said, WithLockLines{"0 acquire"});
}

TEST(WithLock, DoesNotEnterWhenTheOutcomeIsUnknown) {
  WithLockScene scene(WithLockOutcome::kUnknown);
  const Entry entry = scene.Run([](const Grant&) {});
  EXPECT_FALSE(entry.entered);
  EXPECT_TRUE(entry.perhaps_left_locked);
  EXPECT_EQ(scene.entered, 0);
  EXPECT_EQ(scene.lock.said, (WithLockLines{"0 acquire", "0 release 1"}));
}

TEST(WithLock, ReturnsTheResultOfTheRelease) {
  for (const ReleaseResult answer :
       {ReleaseResult::kReleased, ReleaseResult::kNotOwner, ReleaseResult::kUnknown}) {
    WithLockScene scene(WithLockOutcome::kGranted);
    scene.lock.release_answer = answer;
    EXPECT_EQ(scene.Run([](const Grant&) {}).released, answer);
  }
}

TEST(WithLock, RecordsTheWaitAndAnnouncesItsSteps) {
  WithLockScene granted(WithLockOutcome::kGranted);
  (void)granted.Run([](const Grant&) {});
  EXPECT_EQ(FormatEvents(granted.world.events), (WithLockLines{"0 invoke wait", "0 ok wait"}));
  EXPECT_EQ(granted.world.events[1].hold, 1u);
  EXPECT_EQ(granted.world.steps,
            (std::vector<Step>{Step::kAfterAcquire, Step::kBeforeRelease, Step::kAfterRelease}));
  WithLockScene busy(WithLockOutcome::kBusy);
  (void)busy.Run([](const Grant&) {});
  EXPECT_EQ(FormatEvents(busy.world.events), (WithLockLines{"0 invoke wait", "0 fail wait"}));
  EXPECT_TRUE(busy.world.steps.empty());
}

TEST(HeldLock, IsReleasedOnce) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, {{.outcome = WithLockOutcome::kGranted}});
  lock.release_answer = ReleaseResult::kNotOwner;
  {
    HeldLock held(env, lock, {.key = {.name = "k"}, .hold = 7}, 1s);
    EXPECT_EQ(held.Release(), ReleaseResult::kNotOwner);
    EXPECT_EQ(held.Release(), ReleaseResult::kNotOwner);
  }
  EXPECT_EQ(lock.said, WithLockLines{"0 release 7"});
}

TEST(HeldLock, IsReleasedInItsDestructor) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, {{.outcome = WithLockOutcome::kGranted}});
  { const HeldLock held(env, lock, {.key = {.name = "k"}, .hold = 7}, 1s); }
  EXPECT_EQ(lock.said, WithLockLines{"0 release 7"});
}

TEST(MakeLockKey, JoinsThePrefixAndTheFields) {
  EXPECT_EQ(MakeLockKey("order", {"17", "4711"}).name, "order:17_4711");
  EXPECT_EQ(MakeLockKey("order", {"17"}).name, "order:17");
  EXPECT_EQ(MakeLockKey("sale", {}).name, "sale:");
}

TEST(WithLock, AVariantThatStaysLockedOnThrowIsNotReleased) {
  WithLockScene scene(WithLockOutcome::kGranted);
  scene.lock.stays_locked_on_throw = true;
  EXPECT_THROW((void)scene.Run([](const Grant&) { throw std::runtime_error("sold out"); }),
               std::runtime_error);
  EXPECT_EQ(scene.lock.said, WithLockLines{"0 acquire"});
  ASSERT_EQ(FormatEvents(scene.world.events),
            (WithLockLines{"0 invoke wait", "0 ok wait", "20 info leave"}));
  EXPECT_EQ(scene.world.events.back().hold, 1U);
  (void)scene.Run([](const Grant&) {});
  EXPECT_EQ(scene.lock.said.back(), "40 release 2") << "it is released when nothing is thrown";
}

}  // namespace
}  // namespace doublehold
