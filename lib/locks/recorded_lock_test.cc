#include "lib/locks/recorded_lock.h"

#include <gtest/gtest.h>

#include "lib/testing/scripted_lock.h"

namespace doublehold {
namespace {

using testing::Attempt;
using testing::FakeEnv;
using testing::FormatEvents;
using testing::kStartOfWorld;
using testing::ScriptedLock;
using testing::World;
using RecordedLockOutcome = testing::Attempt::Outcome;
using RecordedLockLines = std::vector<std::string>;

struct RecordedLockScene {
  World world;
  FakeEnv env{world};
  ScriptedLock* inner;
  RecordedLock lock;

  explicit RecordedLockScene(Attempt attempt)
      : inner(new ScriptedLock(world, {attempt})), lock(env, std::unique_ptr<Lock>(inner)) {}
};

TEST(RecordedLock, RecordsTheInvocationBeforeAndTheOutcomeAfterTheAttempt) {
  RecordedLockScene scene({.outcome = RecordedLockOutcome::kGranted, .takes = 30ms});
  const AcquireResult result = scene.lock.TryAcquire({.name = "k", .index = 3}, 500ms, {});
  ASSERT_TRUE(std::holds_alternative<Granted>(result));
  ASSERT_EQ(FormatEvents(scene.world.events),
            (RecordedLockLines{"0 invoke acquire", "30 ok acquire"}));
  const Event& invoked = scene.world.events[0];
  EXPECT_EQ(invoked.key, 3);
  EXPECT_EQ(invoked.hold, 0u) << "a grant has its hold from its answer on";
  EXPECT_EQ(invoked.value[0], ToNs(500ms));
  const Event& granted = scene.world.events[1];
  EXPECT_EQ(granted.key, 3);
  EXPECT_EQ(granted.hold, 1u);
  EXPECT_EQ(granted.value[0], ToNs(500ms)) << "valid until one lease after the invocation";
}

TEST(RecordedLock, BusyIsRecordedAsFailWithItsHint) {
  RecordedLockScene scene(
      {.outcome = RecordedLockOutcome::kBusy, .takes = 5ms, .retry_hint = 80ms});
  (void)scene.lock.TryAcquire({.name = "k"}, 500ms, {});
  ASSERT_EQ(FormatEvents(scene.world.events),
            (RecordedLockLines{"0 invoke acquire", "5 fail acquire"}));
  EXPECT_EQ(scene.world.events[1].hold, 0u);
  EXPECT_EQ(scene.world.events[1].value[0], ToNs(80ms));
}

TEST(RecordedLock, AnUnknownOutcomeIsRecordedAsInfoWithThePossibleHold) {
  RecordedLockScene scene({.outcome = RecordedLockOutcome::kUnknown});
  (void)scene.lock.TryAcquire({.name = "k"}, 500ms, {});
  ASSERT_EQ(FormatEvents(scene.world.events),
            (RecordedLockLines{"0 invoke acquire", "0 info acquire"}));
  EXPECT_EQ(scene.world.events[1].hold, 1u);
}

TEST(RecordedLock, TheOutcomeOfAReleaseIsRecorded) {
  const struct {
    ReleaseResult answer;
    const char* told;
  } cases[] = {{ReleaseResult::kReleased, "0 ok release"},
               {ReleaseResult::kNotOwner, "0 fail release"},
               {ReleaseResult::kUnknown, "0 info release"}};
  for (const auto& [answer, told] : cases) {
    RecordedLockScene scene({});
    scene.inner->release_answer = answer;
    EXPECT_EQ(scene.lock.Release({.key = {.name = "k", .index = 2}, .hold = 9}, {}), answer);
    EXPECT_EQ(FormatEvents(scene.world.events), (RecordedLockLines{"0 invoke release", told}));
    for (const Event& event : scene.world.events) {
      EXPECT_EQ(event.hold, 9u);
      EXPECT_EQ(event.key, 2);
    }
  }
}

TEST(RecordExtend, AnExtensionOfAGrantWithoutAnEndAsksForNoLease) {
  for (const MonoTime end : {MonoTime::max(), testing::kStartOfWorld}) {
    World world;
    FakeEnv env(world);
    std::ignore = RecordExtend(env, Grant{.valid_until = end}, 300ms,
                               [] { return ExtendResult(Undecided{}); });
    EXPECT_EQ(world.events.front().value[0], end == MonoTime::max() ? 0 : ToNs(300ms));
  }
}

TEST(RecordExtend, AnExtensionIsRecordedWithItsNewEndOrItsFailure) {
  const struct {
    ExtendResult result;
    const char* told;
    int64_t value;
  } cases[] = {{Extended{kStartOfWorld + 700ms}, "0 ok extend", ToNs(700ms)},
               {Extended{MonoTime::max()}, "0 ok extend", INT64_MAX},
               {Lost{}, "0 fail extend", 0},
               {Undecided{}, "0 info extend", 0}};
  for (const auto& [result, told, value] : cases) {
    World world;
    FakeEnv env(world);
    (void)RecordExtend(env, {.hold = 4}, 500ms, [&, answer = result] { return answer; });
    ASSERT_EQ(FormatEvents(world.events), (RecordedLockLines{"0 invoke extend", told}));
    EXPECT_EQ(world.events[0].value[0], ToNs(500ms));
    EXPECT_EQ(world.events[1].value[0], value);
    EXPECT_EQ(world.events[1].hold, 4u);
  }
}

TEST(RecordedLock, AReleaseWithoutComparingTheOwnerIsMarked) {
  for (const auto& [answer, type, unchecked] :
       {std::tuple{ReleaseResult::kReleased, EventType::kOk, 0},
        std::tuple{ReleaseResult::kFreed, EventType::kOk, 1},
        std::tuple{ReleaseResult::kNotOwner, EventType::kFail, 0},
        std::tuple{ReleaseResult::kNoLock, EventType::kFail, 1},
        std::tuple{ReleaseResult::kUnknown, EventType::kInfo, 0}}) {
    RecordedLockScene scene({.outcome = RecordedLockOutcome::kGranted});
    scene.inner->release_answer = answer;
    (void)scene.lock.Release({.key = {.name = "k"}, .hold = 7}, {});
    ASSERT_EQ(scene.world.events.size(), 2U);
    EXPECT_EQ(scene.world.events[1].type, type);
    EXPECT_EQ(scene.world.events[1].value[0], unchecked);
  }
}

TEST(RecordedLock, GivingUpIsRecordedAsAReleaseWhenItFreesTheLock) {
  RecordedLockScene scene({});
  (void)scene.lock.GiveUp({.name = "k", .index = 2}, {});
  EXPECT_TRUE(scene.world.events.empty());
  scene.inner->frees_on_giving_up = true;
  scene.inner->release_answer = ReleaseResult::kFreed;
  (void)scene.lock.GiveUp({.name = "k", .index = 2}, {});
  ASSERT_EQ(FormatEvents(scene.world.events),
            (RecordedLockLines{"0 invoke release", "0 ok release"}));
  EXPECT_EQ(scene.world.events[1].hold, 0U);
  EXPECT_EQ(scene.world.events[1].key, 2);
  EXPECT_EQ(scene.world.events[1].value[0], 1);
}

TEST(RecordedLock, ForwardsThePropertiesOfTheWrappedLock) {
  RecordedLockScene scene({});
  EXPECT_FALSE(scene.lock.FreesOnGivingUp() || scene.lock.StaysLockedOnThrow() ||
               scene.lock.ReleasesAnothers() || scene.lock.ExtendsByItself());
  scene.inner->frees_on_giving_up = true;
  EXPECT_TRUE(scene.lock.FreesOnGivingUp());
  scene.inner->stays_locked_on_throw = true;
  EXPECT_TRUE(scene.lock.StaysLockedOnThrow());
  scene.inner->releases_anothers = true;
  EXPECT_TRUE(scene.lock.ReleasesAnothers());
  scene.inner->extends_by_itself = true;
  EXPECT_TRUE(scene.lock.ExtendsByItself());
}

TEST(RecordedLock, GivingUpWithoutAReplyIsRecordedAsInfo) {
  RecordedLockScene scene({});
  scene.inner->give_up_answer = ReleaseResult::kUnknown;
  (void)scene.lock.GiveUp({.name = "k", .index = 2}, {});
  ASSERT_EQ(FormatEvents(scene.world.events), (RecordedLockLines{"0 info release"}));
  EXPECT_EQ(scene.world.events[0].hold, 0U);
  EXPECT_EQ(scene.world.events[0].key, 2);
}

TEST(RecordedLock, ARefusalOfSeveralKeysIsRecordedWithoutARetryHint) {
  RecordedLockScene scene({.outcome = RecordedLockOutcome::kBusy, .retry_hint = 80ms});
  (void)scene.lock.TryAcquire({.name = "a", .also = {{.name = "b", .index = 1}}}, 500ms, {});
  ASSERT_EQ(scene.world.events.size(), 4U);
  EXPECT_EQ(scene.world.events[2].value[0], 0);
  EXPECT_EQ(scene.world.events[3].value[0], 0);
}

TEST(RecordedLock, AnAttemptOnSeveralKeysIsRecordedOnEach) {
  RecordedLockScene scene({.outcome = RecordedLockOutcome::kGranted});
  const LockKey keys{.name = "a", .index = 4, .also = {{.name = "b", .index = 2}}};
  const AcquireResult result = scene.lock.TryAcquire(keys, 500ms, {});
  (void)scene.lock.Extend(std::get<Granted>(result).grant, 500ms, {});
  (void)scene.lock.Release(std::get<Granted>(result).grant, {});
  const std::vector<Event>& events = scene.world.events;
  ASSERT_EQ(
      FormatEvents(events),
      (RecordedLockLines{"0 invoke acquire", "0 invoke acquire", "0 ok acquire", "0 ok acquire",
                         "0 invoke extend", "0 invoke extend", "0 ok extend", "0 ok extend",
                         "0 invoke release", "0 invoke release", "0 ok release", "0 ok release"}));
  EXPECT_EQ(events[0].value[1], 2) << "keys of the attempt";
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].key, i % 2 == 0 ? 4 : 2) << i;
    EXPECT_EQ(events[i].hold, i < 2 ? 0 : 1 + i % 2) << i;
  }
}

}  // namespace
}  // namespace doublehold
