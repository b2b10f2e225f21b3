#include "lib/locks/retry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lib/testing/scripted_lock.h"

namespace doublehold {
namespace {

using testing::Attempt;
using testing::FakeEnv;
using testing::kStartOfWorld;
using testing::ScriptedLock;
using testing::World;
using RetryOutcome = testing::Attempt::Outcome;
using RetryLines = std::vector<std::string>;

constexpr Lease kRetryLease = 500ms;
constexpr Attempt kGrant{.outcome = RetryOutcome::kGranted};
constexpr Attempt kBusy{.outcome = RetryOutcome::kBusy};
constexpr Attempt kUnknown{.outcome = RetryOutcome::kUnknown};

std::string NameOf(const AcquireResult& result) {
  if (std::holds_alternative<Granted>(result)) return "granted";
  return std::holds_alternative<Busy>(result) ? "busy" : "unknown";
}

struct Case {
  const char* what;
  RetryPolicy policy;
  std::vector<Attempt> attempts;
  const char* result;
  RetryLines said;
  Duration until;  // time of the return
};

TEST(AcquireWithRetry, TriesWaitsAndTriesAgain) {
  const Attempt slow_busy{.outcome = RetryOutcome::kBusy, .takes = 30ms};
  const Case cases[] = {
      {"granted at once", {.timeout = 1s}, {kGrant}, "granted", {"0 acquire"}, 0ms},
      {"a time-out of 0 is one try", {.timeout = 0s}, {kBusy}, "busy", {"0 acquire"}, 0ms},
      {"waits the interval",
       {.interval = 50ms, .timeout = 1s},
       {kBusy, kBusy, kGrant},
       "granted",
       {"0 acquire", "50 acquire", "100 acquire"},
       100ms},
      {"the interval counts from the answer",
       {.interval = 50ms, .timeout = 1s},
       {slow_busy, kGrant},
       "granted",
       {"0 acquire", "80 acquire"},
       80ms},
      {"gives up at the time-out, without a last try",
       {.interval = 50ms, .timeout = 120ms},
       {kBusy},
       "busy",
       {"0 acquire", "50 acquire", "100 acquire"},
       120ms},
      {"gives up after the retries",
       {.interval = 50ms, .retries = 2, .timeout = 1s},
       {kBusy},
       "busy",
       {"0 acquire", "50 acquire", "100 acquire"},
       100ms},
      {"no retries is one try",
       {.interval = 50ms, .retries = 0, .timeout = 1s},
       {kBusy},
       "busy",
       {"0 acquire"},
       0ms},
      {"what was perhaps granted is released before the next try",
       {.interval = 50ms, .timeout = 1s},
       {kUnknown, kBusy, kUnknown, kGrant},
       "granted",
       {"0 acquire", "0 release 1", "50 acquire", "100 acquire", "100 release 3", "150 acquire"},
       150ms},
      {"an unknown last try is released, and said to be unknown",
       {.timeout = 0s},
       {kUnknown},
       "unknown",
       {"0 acquire", "0 release 1"},
       0ms},
      {"only the last try counts",
       {.interval = 50ms, .retries = 1, .timeout = 1s},
       {kUnknown, kBusy},
       "busy",
       {"0 acquire", "0 release 1", "50 acquire"},
       50ms},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    World world;
    FakeEnv env(world);
    ScriptedLock lock(world, c.attempts);
    EXPECT_EQ(NameOf(AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease, c.policy)), c.result);
    EXPECT_EQ(lock.said, c.said);
    EXPECT_EQ(world.Elapsed(), c.until);
  }
}

TEST(AcquireWithRetry, AnUnknownGrantIsKeptIfAReleaseCouldFreeAnothersLock) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, {kUnknown, kBusy, kGrant});
  lock.releases_anothers = true;
  EXPECT_EQ(NameOf(AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease,
                                    {.interval = 50ms, .timeout = 1s})),
            "granted");
  EXPECT_EQ(lock.said, (RetryLines{"0 acquire", "50 acquire", "100 acquire"}));
}

TEST(AcquireWithRetry, JitterShortensTheIntervalByAtMostItsShare) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, {kBusy});
  const RetryPolicy policy{.interval = 100ms, .jitter = 0.4, .timeout = 100s};
  (void)AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease, policy);
  int64_t before_ms = 0;
  std::set<int64_t> pauses_ms;
  for (size_t i = 1; i < lock.said.size(); ++i) {
    const int64_t at_ms = std::stoll(lock.said[i]);
    pauses_ms.insert(at_ms - before_ms);
    before_ms = at_ms;
  }
  // The log has whole milliseconds, so a pause of 60 ms may appear as 59 ms.
  EXPECT_GE(*pauses_ms.begin(), 59);
  EXPECT_LE(*pauses_ms.rbegin(), 101);
  EXPECT_GT(pauses_ms.size(), 30u) << "the pauses are drawn, not fixed";
}

TEST(AcquireWithRetry, FullJitterNeverMakesAPauseNegative) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, {kBusy});
  (void)AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease,
                         {.interval = 10ms, .jitter = 1, .timeout = 1s});
  EXPECT_EQ(world.Elapsed(), 1s);
  EXPECT_GT(lock.said.size(), 100u);
}

TEST(AcquireWithRetry, EqualSeedsWaitEqually) {
  const auto wait = [](uint64_t seed) {
    World world;
    FakeEnv env(world, seed);
    ScriptedLock lock(world, {kBusy});
    (void)AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease,
                           {.interval = 100ms, .jitter = 0.5, .timeout = 10s});
    return lock.said;
  };
  EXPECT_EQ(wait(3), wait(3));
  EXPECT_NE(wait(3), wait(4));
}

TEST(AcquireWithRetry, StartsNoTryWhenTheRunIsEnding) {
  for (const Attempt& attempt : {kBusy, kUnknown}) {
    World world;
    FakeEnv env(world);
    world.stopping = true;
    ScriptedLock lock(world, {attempt});
    (void)AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease, {.timeout = 10s});
    EXPECT_EQ(std::ranges::count(lock.said, "0 acquire"), 1);
    EXPECT_EQ(world.Elapsed(), 0ms);
  }
}

TEST(AcquireWithRetry, AStopEndsAWait) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, {kBusy});
  world.At(70ms, [&] { world.stopping = true; });
  const AcquireResult result =
      AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease, {.interval = 50ms, .timeout = 10s});
  EXPECT_EQ(NameOf(result), "busy");
  EXPECT_EQ(lock.said, (RetryLines{"0 acquire", "50 acquire"}));
}

// A subscription with messages at the given times. If `broken`, every Wait fails at once.
class FakeWakeUps final : public Subscription {
 public:
  FakeWakeUps(World& world, const std::vector<Duration>& messages) : world_(world) {
    for (const Duration at : messages) messages_.insert(kStartOfWorld + at);
  }
  bool broken = false;
  std::vector<Duration> waits;  // the requested length of each wait

  bool Wait(Deadline deadline) override {
    waits.push_back(deadline - world_.now);
    if (broken) return false;
    const auto next = messages_.begin();
    if (next == messages_.end() || *next > deadline) {
      world_.AdvanceTo(deadline);
      return false;
    }
    world_.AdvanceTo(*next);
    messages_.erase(next);
    return true;
  }

 private:
  World& world_;
  std::set<MonoTime> messages_;
};

TEST(AcquireWithRetry, AReleaseWakesAWaiter) {
  World world;
  FakeEnv env(world);
  FakeWakeUps wake_ups(world, {130ms});
  ScriptedLock lock(world, {{.outcome = RetryOutcome::kBusy, .retry_hint = 400ms}, kGrant});
  lock.wake_ups = &wake_ups;
  EXPECT_EQ(NameOf(AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease,
                                    {.interval = 50ms, .timeout = 10s})),
            "granted");
  EXPECT_EQ(lock.said, (RetryLines{"0 acquire", "130 acquire"}));
}

TEST(AcquireWithRetry, AWaiterWithoutAMessagePolls) {
  const struct {
    const char* what;
    Duration hint;
    Duration timeout;
    Duration waits;
  } cases[] = {
      {"the holder's remaining lease", 400ms, 10s, 400ms},
      {"a second at most, in case a message is lost", 30s, 10s, 1s},
      {"the interval, when the node gave no hint", 0ms, 10s, 50ms},
      {"not beyond the policy's timeout", 400ms, 300ms, 300ms},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    World world;
    FakeEnv env(world);
    FakeWakeUps wake_ups(world, {});
    ScriptedLock lock(world, {{.outcome = RetryOutcome::kBusy, .retry_hint = c.hint}, kGrant});
    lock.wake_ups = &wake_ups;
    (void)AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease,
                           {.interval = 50ms, .timeout = c.timeout});
    EXPECT_EQ(wake_ups.waits, std::vector<Duration>{c.waits});
    EXPECT_EQ(world.Elapsed(), c.waits);
  }
}

TEST(AcquireWithRetry, ABrokenChannelDoesNotCauseABusyLoop) {
  World world;
  FakeEnv env(world);
  FakeWakeUps wake_ups(world, {});
  wake_ups.broken = true;
  ScriptedLock lock(world, {{.outcome = RetryOutcome::kBusy, .retry_hint = 400ms}});
  lock.wake_ups = &wake_ups;
  (void)AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease,
                         {.interval = 50ms, .timeout = 150ms});
  EXPECT_EQ(lock.said, (RetryLines{"0 acquire", "50 acquire", "100 acquire"}));
}

TEST(AcquireWithRetry, TheIntervalGrowsToItsLimit) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, {kBusy, kBusy, kBusy, kBusy, kBusy, kGrant});
  const RetryPolicy policy{.interval = 10ms, .growth = 2, .longest = 40ms, .timeout = 10s};
  EXPECT_EQ(NameOf(AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease, policy)), "granted");
  EXPECT_EQ(lock.said, (RetryLines{"0 acquire", "10 acquire", "30 acquire", "70 acquire",
                                   "110 acquire", "150 acquire"}));
}

TEST(AcquireWithRetry, CallsGiveUpUnlessTheLockIsGranted) {
  for (const auto& [attempt, said] : {std::pair{kBusy, RetryLines{"0 acquire", "0 give up"}},
                                      std::pair{kGrant, RetryLines{"0 acquire"}}}) {
    World world;
    FakeEnv env(world);
    ScriptedLock lock(world, {attempt});
    lock.frees_on_giving_up = true;
    (void)AcquireWithRetry(env, lock, {.name = "k"}, kRetryLease, {.timeout = 0s});
    EXPECT_EQ(lock.said, said);
  }
}

}  // namespace
}  // namespace doublehold
