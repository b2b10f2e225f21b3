// Replies of a driver that serves a Doublehold lock, in virtual time.
#include "lib/driver/served_lock.h"

#include <gtest/gtest.h>

#include <utility>

#include "lib/testing/scripted_lock.h"

namespace doublehold {
namespace {

using testing::Attempt;
using testing::FakeEnv;
using testing::kStartOfWorld;
using testing::ScriptedLock;
using testing::World;
using ServedLockKind = DriverAnswer::Kind;
using Outcome = Attempt::Outcome;
using Lines = std::vector<std::string>;

constexpr Lease kServedLockLease = 300ms;

struct ServedLockScene {
  explicit ServedLockScene(std::vector<Attempt> attempts) {
    auto scripted = std::make_unique<ScriptedLock>(world, std::move(attempts));
    inner = scripted.get();
    served = std::make_unique<ServedLock>(env, std::move(scripted),
                                          RetryPolicy{.interval = 20ms, .call_timeout = 100ms});
  }

  DriverAnswer Acquire(Duration wait) {
    return served->Answer(
        {.op = DriverOp::kAcquire, .key = "k", .wait = wait, .lease = kServedLockLease});
  }
  DriverAnswer Extend(const std::string& grant) {
    return served->Answer({.op = DriverOp::kExtend, .lease = kServedLockLease, .grant = grant});
  }
  DriverAnswer Release(const std::string& grant) {
    return served->Answer({.op = DriverOp::kRelease, .grant = grant});
  }

  World world;
  FakeEnv env{world};
  ScriptedLock* inner = nullptr;
  std::unique_ptr<ServedLock> served;
};

TEST(ServedLock, TheReportedLeaseCountsFromTheTryThatWasGranted) {
  ServedLockScene scene(
      {{.outcome = Outcome::kBusy}, {.outcome = Outcome::kGranted, .takes = 5ms}});
  scene.inner->token = 34;
  const DriverAnswer answer = scene.Acquire(200ms);
  EXPECT_EQ(answer.kind, ServedLockKind::kOk);
  EXPECT_EQ(answer.grant, "2");
  EXPECT_EQ(answer.token, 34);
  EXPECT_EQ(answer.from, kStartOfWorld + 20ms);
  EXPECT_EQ(answer.validity, kServedLockLease);
  EXPECT_EQ(scene.inner->last_key.name, "k");
  EXPECT_FALSE(scene.inner->last_key.shared);
  (void)scene.served->Answer(
      {.op = DriverOp::kAcquire, .key = "k", .reads = true, .lease = kServedLockLease});
  EXPECT_TRUE(scene.inner->last_key.shared);
}

// A lock whose leases have a given length, regardless of the requested lease.
class LeaseLock final : public Lock {
 public:
  LeaseLock(World& world, Duration lasts) : world_(world), lasts_(lasts) {}
  AcquireResult TryAcquire(const LockKey& /*key*/, Lease /*lease*/,
                           Deadline /*deadline*/) override {
    Grant grant;
    grant.valid_until = lasts_ == Duration::max() ? MonoTime::max() : MonoTime(world_.now + lasts_);
    world_.Advance(300us);
    return Granted{grant};
  }
  ExtendResult Extend(const Grant& /*grant*/, Lease /*lease*/, Deadline /*deadline*/) override {
    return Undecided{};
  }
  ReleaseResult Release(const Grant& /*grant*/, Deadline /*deadline*/) override {
    return ReleaseResult::kReleased;
  }

 private:
  World& world_;
  Duration lasts_;
};

TEST(ServedLock, TheReportedLeaseIsNeverTooLong) {
  const struct {
    Duration lasts;
    Duration reported;  // end of the reported lease, counted from the try
  } cases[] = {
      {kServedLockLease, kServedLockLease},
      {kServedLockLease + 200us, kServedLockLease + 200us},
      {kServedLockLease + 900us, kServedLockLease + 300us},  // the start cannot be after the reply
      {500us, 300us},                                        // less than a millisecond is left
      {-3ms, 0ms},
  };
  for (const auto& [lasts, reported] : cases) {
    World world;
    FakeEnv env(world);
    ServedLock served(env, std::make_unique<LeaseLock>(world, lasts), RetryPolicy{});
    const DriverAnswer answer =
        served.Answer({.op = DriverOp::kAcquire, .key = "k", .lease = kServedLockLease});
    ASSERT_TRUE(answer.from && answer.validity);
    EXPECT_EQ(*answer.validity % 1ms, 0ms);
    EXPECT_EQ(*answer.from + *answer.validity, kStartOfWorld + reported);
  }
  World world;
  FakeEnv env(world);
  ServedLock served(env, std::make_unique<LeaseLock>(world, Duration::max()), RetryPolicy{});
  const DriverAnswer answer =
      served.Answer({.op = DriverOp::kAcquire, .key = "k", .lease = kServedLockLease});
  EXPECT_FALSE(answer.from || answer.validity) << "it never ends";
}

TEST(ServedLock, AnAcquireWaitsNoLongerThanRequested) {
  ServedLockScene once({{.outcome = Outcome::kBusy}});
  once.inner->frees_on_giving_up = true;
  EXPECT_EQ(once.Acquire(0ms).kind, ServedLockKind::kNo);
  EXPECT_EQ(once.inner->said, (Lines{"0 acquire", "0 give up"}));
  ServedLockScene waits({{.outcome = Outcome::kBusy}});
  EXPECT_EQ(waits.Acquire(50ms).kind, ServedLockKind::kNo);
  EXPECT_EQ(waits.inner->said, (Lines{"0 acquire", "20 acquire", "40 acquire"}));
}

TEST(ServedLock, ARefusalReportsTheHoldersRemainingLease) {
  ServedLockScene scene({{.outcome = Outcome::kBusy, .retry_hint = 70ms},
                         {.outcome = Outcome::kBusy, .retry_hint = 50ms + 9us}});
  EXPECT_EQ(scene.Acquire(0ms).taken, 70ms);
  EXPECT_EQ(scene.Acquire(0ms).taken, 50ms) << "whole milliseconds";
}

TEST(ServedLock, ATryWithoutAReplyMakesARefusalIndefinite) {
  ServedLockScene scene(
      {{.outcome = Outcome::kUnknown, .takes = 10ms}, {.outcome = Outcome::kBusy}});
  const DriverAnswer unsure = scene.Acquire(50ms);
  EXPECT_EQ(unsure.kind, ServedLockKind::kError);
  EXPECT_FALSE(unsure.definite);
  EXPECT_EQ(scene.inner->said.at(1), "10 release 1") << "as in a run";
  EXPECT_EQ(scene.Acquire(0ms).kind, ServedLockKind::kNo) << "that was another acquire";
  ServedLockScene blind({{.outcome = Outcome::kUnknown}});
  blind.inner->releases_anothers = true;
  EXPECT_EQ(blind.Acquire(0ms).kind, ServedLockKind::kError);
  EXPECT_EQ(blind.inner->said, (Lines{"0 acquire"})) << "it may be another's by now";
}

TEST(ServedLock, AReleaseIsOkIfItFreedSomething) {
  const std::pair<ReleaseResult, ServedLockKind> cases[] = {
      {ReleaseResult::kReleased, ServedLockKind::kOk},
      {ReleaseResult::kFreed, ServedLockKind::kOk},
      {ReleaseResult::kNotOwner, ServedLockKind::kNo},
      {ReleaseResult::kNoLock, ServedLockKind::kNo},
      {ReleaseResult::kUnknown, ServedLockKind::kError}};
  for (const auto& [result, kind] : cases) {
    ServedLockScene scene({{.outcome = Outcome::kGranted}});
    const std::string grant = scene.Acquire(0ms).grant;
    scene.inner->release_answer = result;
    const DriverAnswer first = scene.Release(grant);
    EXPECT_EQ(first.kind, kind);
    EXPECT_FALSE(first.definite);
    scene.inner->release_answer = ReleaseResult::kReleased;
    // A release of unknown outcome can be repeated.
    EXPECT_EQ(scene.Release(grant).kind,
              kind == ServedLockKind::kError ? ServedLockKind::kOk : ServedLockKind::kNo);
  }
}

TEST(ServedLock, AnUnknownGrantSendsNoCommandToTheLock) {
  ServedLockScene scene({{.outcome = Outcome::kGranted}});
  EXPECT_EQ(scene.Release("1").kind, ServedLockKind::kNo);
  EXPECT_EQ(scene.Extend("1").kind, ServedLockKind::kNo);
  EXPECT_EQ(scene.inner->said, Lines{});
}

TEST(ServedLock, AnExtensionsLeaseCountsFromWhenItWasSent) {
  ServedLockScene scene({{.outcome = Outcome::kGranted}});
  const std::string grant = scene.Acquire(0ms).grant;
  scene.world.Advance(70ms);
  const DriverAnswer answer = scene.Extend(grant);
  EXPECT_EQ(answer.kind, ServedLockKind::kOk);
  EXPECT_EQ(answer.from, kStartOfWorld + 70ms);
  EXPECT_EQ(answer.validity, kServedLockLease);
  World world;
  FakeEnv env(world);
  ServedLock undecided(env, std::make_unique<LeaseLock>(world, kServedLockLease), RetryPolicy{});
  const DriverAnswer granted =
      undecided.Answer({.op = DriverOp::kAcquire, .lease = kServedLockLease});
  const DriverAnswer error = undecided.Answer(
      {.op = DriverOp::kExtend, .lease = kServedLockLease, .grant = granted.grant});
  EXPECT_EQ(error.kind, ServedLockKind::kError);
  EXPECT_FALSE(error.definite);
}

// Makes locks without a server, as a driver does to answer hello.
TEST(ServedLock, AbilitiesComeFromTheRegistryRowAndTheLock) {
  World world;
  FakeEnv env(world);
  const struct {
    const char* lock;
    std::map<std::string, std::string> options;
    Lines can;
  } cases[] = {
      {"set-nx-px", {}, {"extend", "lease"}},
      {"none", {}, {"extend", "read-write", "reentrant", "silent-release"}},
      {"fenced", {}, {"extend", "lease", "token"}},
      {"setnx-expire", {}, {"blind-release", "extend", "lease"}},
      {"redisson", {}, {"extend", "lease", "reentrant", "watchdog"}},
      {"redisson", {{"explicit-lease", "true"}}, {"extend", "lease", "reentrant"}},
      {"redisson-fenced", {}, {"extend", "lease", "reentrant", "token", "watchdog"}},
      {"redisson-read-write", {}, {"extend", "lease", "read-write", "reentrant", "watchdog"}},
      {"redlock-redisson", {}, {"extend", "lease", "reentrant", "watchdog"}},
      {"redlock-redisson", {{"explicit-lease", "true"}}, {"extend", "lease", "reentrant"}},
  };
  for (const auto& each : cases) {
    const LockEntry& entry = *FindLock(each.lock);
    const auto options = CompleteOptions(each.lock, entry.options, each.options, kServedLockLease);
    ASSERT_TRUE(options.has_value());
    const std::unique_ptr<Lock> lock = entry.make(
        {.env = env, .nodes = 1, .lease = kServedLockLease, .options = Options(*options)});
    EXPECT_EQ(CanOf(entry, *lock), each.can) << each.lock;
  }
}

}  // namespace
}  // namespace doublehold
