// How a lock handles a driver's replies, including late and missing ones, in virtual time.
#include "lib/driver/driver_lock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::kStartOfWorld;
using testing::World;
using DriverLockKind = DriverAnswer::Kind;

constexpr Lease kDriverLockLease = 300ms;
constexpr Duration kDriverLockPatience = 100ms;

// Replies to each request after a delay, with the replies that the test has prepared.
class ScriptedDriver final : public DriverRequests {
 public:
  explicit ScriptedDriver(World& world) : world_(world) {}

  uint64_t Send(DriverOp op, const nlohmann::json& members) override {
    asked.push_back(fmt::format("{} {}", Name(op), members.dump()));
    EXPECT_TRUE(unanswered_.empty()) << "two requests under way: " << asked.back();
    const Answer answer = ready.empty() ? Answer{} : ready.front();
    if (!ready.empty()) ready.erase(ready.begin());
    auto& [laid, at] = unanswered_[asked.size()];
    laid = answer.answer;
    laid.came = at = world_.now + answer.after;
    return asked.size();
  }
  std::optional<DriverAnswer> Await(uint64_t id, MonoTime deadline) override {
    const auto& [answer, at] = unanswered_.at(id);
    world_.AdvanceTo(std::max(world_.now, std::min(at, deadline)));
    if (at > deadline) return std::nullopt;
    waited_for_cpu += waits_for_cpu;
    return unanswered_.extract(id).mapped().first;
  }
  std::optional<MonoTime> LostAt(const std::string& grant) const override {
    const auto at = lost.find(grant);
    return at == lost.end() ? std::nullopt : std::optional(at->second);
  }

  Duration WaitedForCpu(Duration /*max_age*/) override { return waited_for_cpu; }

  struct Answer {
    DriverAnswer answer{};
    Duration after{};
  };
  Duration waited_for_cpu = 7s, waits_for_cpu{};  // before, and in each call
  std::vector<Answer> ready;
  std::vector<std::string> asked;
  std::map<std::string, MonoTime> lost;

 private:
  World& world_;
  std::map<uint64_t, std::pair<DriverAnswer, MonoTime>> unanswered_;
};

struct DriverLockScene {
  explicit DriverLockScene(std::vector<std::string> can = {"lease"})
      : lock(Context(), driver, {.name = "x", .version = "1", .can = std::move(can)}) {}

  LockContext Context() {
    return {.env = env,
            .client = 2,
            .thread = 3,
            .seed = 1,
            .lease = kDriverLockLease,
            .call_timeout = kDriverLockPatience,
            .options = Options(options)};
  }

  AcquireResult Acquire(std::vector<ScriptedDriver::Answer> answers) {
    driver.ready = std::move(answers);
    return lock.TryAcquire({.name = "k", .index = 4}, kDriverLockLease,
                           world.now + kDriverLockPatience);
  }
  ReleaseResult Release(const Grant& grant, std::vector<ScriptedDriver::Answer> answers) {
    driver.ready = std::move(answers);
    return lock.Release(grant, world.now + kDriverLockPatience);
  }
  std::string TakeAsked() {
    return fmt::format("{}", fmt::join(std::exchange(driver.asked, {}), "; "));
  }

  World world;
  FakeEnv env{world};
  std::map<std::string, std::string> options;
  ScriptedDriver driver{world};
  DriverLock lock;
};

ScriptedDriver::Answer Ok(const std::string& grant = "", Duration after = 10ms) {
  return {.answer = {.grant = grant}, .after = after};
}
ScriptedDriver::Answer No() { return {.answer = {.kind = DriverLockKind::kNo}}; }
ScriptedDriver::Answer Failed(bool definite) {
  return {.answer = {.kind = DriverLockKind::kError, .definite = definite, .text = "reset"}};
}
ScriptedDriver::Answer Never() { return Ok("late", 10s); }

Grant GrantOf(const std::string& owner) {
  Grant grant;
  grant.owner = owner;
  return grant;
}

TEST(DriverLock, AReaderAsksForAReadLockIfTheLibraryHasReaders) {
  for (const bool can : {true, false}) {
    DriverLockScene scene(can ? std::vector<std::string>{"lease", "read-write"}
                              : std::vector<std::string>{"lease"});
    scene.driver.ready = {Ok("3f9c")};
    const AcquireResult result = scene.lock.TryAcquire(
        {.name = "k", .shared = true}, kDriverLockLease, scene.world.now + kDriverLockPatience);
    EXPECT_EQ(std::get<Granted>(result).grant.shared, can);
    EXPECT_EQ(scene.TakeAsked().find(R"("mode":"read")") != std::string::npos, can);
  }
}

TEST(DriverLock, AGrantHasTheDriversNameAndItsLeaseCountsFromTheRequest) {
  DriverLockScene scene;
  const AcquireResult result = scene.Acquire({Ok("3f9c", 40ms)});
  const Grant& grant = std::get<Granted>(result).grant;
  EXPECT_EQ(grant.owner, "3f9c");
  EXPECT_EQ(grant.key.index, 4);
  EXPECT_EQ(grant.hold >> 32U, (2U << 8U) + 3U);
  EXPECT_EQ(grant.valid_until, kStartOfWorld + kDriverLockLease);
  EXPECT_EQ(scene.TakeAsked(), R"(acquire {"key":"k","lease_ms":300,"session":3,"wait_ms":50})");
  EXPECT_EQ(scene.Release(grant, {Ok()}), ReleaseResult::kReleased);
  EXPECT_EQ(scene.TakeAsked(), R"(release {"grant":"3f9c","session":3})");
}

TEST(DriverLock, ALeaseEndsAsReportedAndALibraryWithoutLeasesHasNoEnd) {
  const MonoTime from = kStartOfWorld + 5ms;
  const struct {
    std::vector<std::string> can;
    DriverAnswer answer;
    MonoTime valid_until;
  } cases[] = {
      {{"lease"}, {.grant = "a"}, kStartOfWorld + kDriverLockLease},
      {{"lease"}, {.grant = "a", .validity = 200ms}, kStartOfWorld + 200ms},
      {{"lease"}, {.grant = "a", .from = from}, from + kDriverLockLease},
      {{"lease"}, {.grant = "a", .validity = 200ms, .from = from}, from + 200ms},
      {{}, {.grant = "a", .validity = 200ms}, kStartOfWorld + 200ms},
      {{}, {.grant = "a"}, MonoTime::max()},
      {{"lease", "watchdog"}, {.grant = "a"}, kStartOfWorld + kDriverLockLease},
  };
  for (const auto& each : cases) {
    DriverLockScene scene(each.can);
    const AcquireResult result = scene.Acquire({{.answer = each.answer, .after = 10ms}});
    EXPECT_EQ(std::get<Granted>(result).grant.valid_until, each.valid_until);
  }
}

TEST(DriverLock, AFencingTokenComesFromTheDriver) {
  DriverLockScene scene({"lease", "token"});
  const AcquireResult result = scene.Acquire({{.answer = {.grant = "a", .token = 34}}});
  EXPECT_EQ(std::get<Granted>(result).grant.token, 34);
  const std::vector<std::string> can{"lease", "token"};
  EXPECT_TRUE(DriverEntryWith(can).Has(Trait::kToken));
  EXPECT_FALSE(DriverEntryWith({}).Has(Trait::kToken));
}

TEST(DriverLock, AGrantLastsLongerThanItsLeaseIfTheDriverCanExtendOrHasNoLease) {
  using Words = std::vector<std::string>;
  const std::pair<Words, bool> cases[] = {
      {{"lease"}, false}, {{"lease", "extend"}, true}, {{"lease", "watchdog"}, true}, {{}, true}};
  for (const auto& [can, extends] : cases) EXPECT_EQ(DriverEntryWith(can).extends, extends);
}

TEST(DriverLock, OnlyALibraryWithAWatchdogExtendsByItself) {
  EXPECT_TRUE(DriverLockScene({"lease", "watchdog"}).lock.ExtendsByItself());
  EXPECT_FALSE(DriverLockScene({"lease", "extend"}).lock.ExtendsByItself());
}

TEST(DriverLock, ARefusalOrDefiniteErrorIsBusyAndAnyOtherErrorUnknown) {
  EXPECT_TRUE(std::holds_alternative<Busy>(DriverLockScene().Acquire({No()})));
  EXPECT_TRUE(std::holds_alternative<Busy>(DriverLockScene().Acquire({Failed(true)})));
  const ScriptedDriver::Answer taken{.answer = {.kind = DriverLockKind::kNo, .taken = 70ms}};
  EXPECT_EQ(std::get<Busy>(DriverLockScene().Acquire({taken})).retry_hint, 70ms);
  DriverLockScene scene;
  const AcquireResult result = scene.Acquire({Failed(false)});
  ASSERT_TRUE(std::holds_alternative<Unknown>(result));
  scene.TakeAsked();
  // The lock may have been granted, but the grant's name is unknown.
  EXPECT_EQ(scene.Release(std::get<Unknown>(result).perhaps, {}), ReleaseResult::kUnknown);
  EXPECT_EQ(scene.TakeAsked(), "");
}

TEST(DriverLock, AnUnknownGrantIsReleasedOnceItIsKnown) {
  const struct {
    ScriptedDriver::Answer late;
    ReleaseResult released;
    const char* asked;
  } cases[] = {
      {Ok("late", 150ms), ReleaseResult::kReleased, R"(release {"grant":"late","session":3})"},
      {{.answer = No().answer, .after = 150ms}, ReleaseResult::kNotOwner, ""},
      {{.answer = Failed(true).answer, .after = 150ms}, ReleaseResult::kNotOwner, ""},
      {{.answer = Failed(false).answer, .after = 150ms}, ReleaseResult::kUnknown, ""},
      {Never(), ReleaseResult::kUnknown, ""},
  };
  for (const auto& each : cases) {
    DriverLockScene scene;
    const AcquireResult result = scene.Acquire({each.late});
    ASSERT_TRUE(std::holds_alternative<Unknown>(result));
    scene.TakeAsked();
    EXPECT_EQ(scene.Release(std::get<Unknown>(result).perhaps, {Ok()}), each.released);
    EXPECT_EQ(scene.TakeAsked(), each.asked);
  }
}

TEST(DriverLock, NoRequestIsSentBeforeTheLastReplyHasArrived) {
  DriverLockScene scene;
  ASSERT_TRUE(std::holds_alternative<Unknown>(scene.Acquire({Never()})));
  EXPECT_TRUE(std::holds_alternative<Busy>(scene.Acquire({Ok("new")})));
  EXPECT_EQ(scene.driver.asked.size(), 1u);
  EXPECT_EQ(scene.world.Elapsed(), 2 * kDriverLockPatience);
  scene.world.Advance(10s);
  scene.TakeAsked();
  // The late grant was never used, so it is released.
  const AcquireResult result = scene.Acquire({Ok(), Ok("new")});
  EXPECT_EQ(std::get<Granted>(result).grant.owner, "new");
  EXPECT_EQ(scene.TakeAsked(), R"(release {"grant":"late","session":3}; )"
                               R"(acquire {"key":"k","lease_ms":300,"session":3,"wait_ms":45})");
}

TEST(DriverLock, TheDestructorLeavesNoGrantWithoutAnOwner) {
  DriverLockScene scene;
  const auto leave_after = [&](ScriptedDriver::Answer acquired) {
    DriverLock lock(scene.Context(), scene.driver, {.name = "x", .version = "1", .can = {"lease"}});
    scene.driver.ready = {std::move(acquired), Ok()};
    const AcquireResult result =
        lock.TryAcquire({.name = "k"}, kDriverLockLease, scene.world.now + kDriverLockPatience);
    EXPECT_TRUE(std::holds_alternative<Unknown>(result));
    scene.TakeAsked();
  };
  leave_after(Ok("late", 150ms));
  EXPECT_EQ(scene.TakeAsked(), R"(release {"grant":"late","session":3})");
  leave_after({.answer = No().answer, .after = 150ms});
  EXPECT_EQ(scene.TakeAsked(), "");
}

TEST(DriverLock, ALateGrantIsKeptIfAReleaseCouldFreeAnothersLock) {
  DriverLockScene scene({"lease", "blind-release"});
  ASSERT_TRUE(std::holds_alternative<Unknown>(scene.Acquire({Ok("late", 150ms)})));
  scene.TakeAsked();
  const AcquireResult result = scene.Acquire({Ok("new")});
  ASSERT_TRUE(std::holds_alternative<Granted>(result));
  EXPECT_EQ(scene.driver.asked.size(), 1u);
  EXPECT_TRUE(scene.lock.ReleasesAnothers());
  EXPECT_EQ(scene.Release(std::get<Granted>(result).grant, {Ok()}), ReleaseResult::kFreed);
  EXPECT_EQ(scene.Release(GrantOf("a"), {No()}), ReleaseResult::kNoLock);
}

TEST(DriverLock, AReleaseReturnsTheDriversReply) {
  const Grant held = GrantOf("a");
  EXPECT_EQ(DriverLockScene().Release(held, {No()}), ReleaseResult::kNotOwner);
  for (const auto& answer : {Failed(true), Failed(false), Never()})
    EXPECT_EQ(DriverLockScene().Release(held, {answer}), ReleaseResult::kUnknown);
}

TEST(DriverLock, AReleaseThatCouldNotBeSentIsSentLater) {
  DriverLockScene scene({"lease", "extend"});
  scene.driver.ready = {Ok("", 250ms)};
  const Grant held = GrantOf("held");
  EXPECT_TRUE(std::holds_alternative<Undecided>(
      scene.lock.Extend(held, kDriverLockLease, scene.world.now + kDriverLockPatience)));
  EXPECT_EQ(scene.Release(held, {}), ReleaseResult::kUnknown);
  EXPECT_EQ(scene.driver.asked.size(), 1u);
  scene.TakeAsked();
  EXPECT_TRUE(std::holds_alternative<Granted>(scene.Acquire({Ok("", 10ms), Ok("new")})));
  EXPECT_EQ(scene.TakeAsked().substr(0, 38), R"(release {"grant":"held","session":3}; )");
}

// A session holds two grants, and its third acquire is granted after the timeout. All three grants
// must be released.
TEST(DriverLock, EachReleaseThatCouldNotBeSentIsSentLater) {
  DriverLockScene scene({"lease", "reentrant"});
  ASSERT_TRUE(std::holds_alternative<Unknown>(scene.Acquire({Ok("third", 350ms)})));
  EXPECT_EQ(scene.Release(GrantOf("second"), {}), ReleaseResult::kUnknown);
  EXPECT_EQ(scene.Release(GrantOf("first"), {}), ReleaseResult::kUnknown);
  EXPECT_EQ(scene.driver.asked.size(), 1u);
  scene.TakeAsked();
  EXPECT_TRUE(std::holds_alternative<Granted>(
      scene.Acquire({Ok("", 5ms), Ok("", 5ms), Ok("", 5ms), Ok("new", 5ms)})));
  const std::string asked = scene.TakeAsked();
  EXPECT_EQ(asked.substr(0, asked.find("; acquire")), R"(release {"grant":"second","session":3}; )"
                                                      R"(release {"grant":"first","session":3}; )"
                                                      R"(release {"grant":"third","session":3})");
}

// Formats events as "late-reply ok 50 80 0": timeout and duration in ms, and the kind of call.
std::string EventsOf(const World& world) {
  std::vector<std::string> lines;
  for (const Event& event : world.events) {
    lines.push_back(fmt::format("{} {} {} {} {}", Name(event.op), Name(event.type),
                                event.value[0] / 1'000'000, event.value[1] / 1'000'000,
                                event.value[2]));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

TEST(DriverLock, AReplyAfterItsTimeoutIsRecorded) {
  const struct {
    Duration after;
    const char* recorded;
  } cases[] = {
      {50ms, ""},
      {51ms, "late-reply ok 50 51 0"},
      {150ms, "late-reply ok 50 150 0"},  // a later call awaited its reply
      {10s, "late-reply fail 50 300 0"},  // recorded when the lock is destroyed
  };
  for (const auto& each : cases) {
    World world;
    FakeEnv env(world);
    ScriptedDriver driver(world);
    const std::map<std::string, std::string> none;
    {
      const LockContext context{.env = env,
                                .client = 8,
                                .lease = kDriverLockLease,
                                .call_timeout = kDriverLockPatience,
                                .options = Options(none)};
      DriverLock lock(context, driver, {.name = "x", .version = "1", .can = {"lease"}});
      for (const Duration after : {each.after, Duration(1ms)}) {
        driver.ready = {{.answer = {.kind = DriverLockKind::kNo}, .after = after}};
        [[maybe_unused]] const AcquireResult result = lock.TryAcquire(
            {.name = "k", .index = 4}, kDriverLockLease, world.now + kDriverLockPatience);
      }
    }
    EXPECT_EQ(EventsOf(world), each.recorded);
    for (const Event& event : world.events) EXPECT_EQ(event.key, 4);
  }
}

TEST(DriverLock, ADriverThatWaitedForAProcessorIsAStall) {
  const struct {
    Duration took, waited;
    const char* recorded;
  } cases[] = {
      {40ms, 30ms, "stall info 30 0 0"},
      {40ms, 29ms, ""},  // less than a tenth of the lease
      {29ms, 29ms, ""},
      {40ms, 90ms, "stall info 40 0 0"},  // several threads waited at once
      {60ms, 35ms, "stall info 35 0 0; late-reply ok 50 60 0"},
  };
  for (const auto& each : cases) {
    DriverLockScene scene;
    scene.driver.waits_for_cpu = each.waited;
    std::ignore = scene.Acquire({Ok("a", each.took)});
    EXPECT_EQ(EventsOf(scene.world), each.recorded);
  }
}

TEST(DriverLock, AnErrorIsRecordedWithItsTimeItsCallAndWhetherItIsDefinite) {
  DriverLockScene scene;
  std::ignore = scene.Acquire({{.answer = {.kind = DriverLockKind::kError}, .after = 20ms}});
  EXPECT_EQ(EventsOf(scene.world), "driver-error info 20 0 0");
  Grant held = GrantOf("a");
  held.hold = 7;
  scene.world.events.clear();
  std::ignore = scene.Release(
      held, {{.answer = {.kind = DriverLockKind::kError, .definite = true}, .after = 5ms}});
  ASSERT_EQ(EventsOf(scene.world), "driver-error info 5 0 1");
  EXPECT_EQ(scene.world.events[0].value[1], 1);
  EXPECT_EQ(scene.world.events[0].hold, 7u);
}

TEST(DriverLock, TheTimeoutOfAReleaseIsOneLease) {
  DriverLockScene scene;
  Grant held = GrantOf("a");
  held.hold = 7;
  EXPECT_EQ(scene.Release(held, {Ok("", kDriverLockLease)}), ReleaseResult::kUnknown);
  scene.world.Advance(1s);
  std::ignore = scene.Acquire({Ok("b")});
  EXPECT_EQ(EventsOf(scene.world), "");
  EXPECT_EQ(scene.Release(held, {Ok("", kDriverLockLease + 1ms)}), ReleaseResult::kUnknown);
  scene.world.Advance(1s);
  std::ignore = scene.Acquire({Ok("b")});
  EXPECT_EQ(EventsOf(scene.world), "late-reply ok 300 301 1");
}

TEST(DriverLock, ACallThatIsPendingInTheDestructorIsRecordedEvenWithinItsTimeout) {
  World world;
  FakeEnv env(world);
  ScriptedDriver driver(world);
  const std::map<std::string, std::string> none;
  {
    const LockContext context{.env = env,
                              .client = 8,
                              .lease = kDriverLockLease,
                              .call_timeout = 100ms,
                              .options = Options(none)};
    DriverLock lock(context, driver, {.name = "x", .version = "1", .can = {"lease"}});
    driver.ready = {{.answer = {.kind = DriverLockKind::kOk}, .after = 10s}};
    EXPECT_EQ(lock.Release(GrantOf("a"), world.now + 100ms), ReleaseResult::kUnknown);
  }
  EXPECT_EQ(EventsOf(world), "late-reply fail 300 200 1");
}

TEST(DriverLock, AReportedLossIsRecordedOnRelease) {
  DriverLockScene scene({"lease", "lost"});
  Grant held = GrantOf("a");
  held.hold = 7;
  scene.driver.lost["a"] = scene.world.now + 20ms;
  scene.world.Advance(60ms);
  EXPECT_EQ(scene.Release(GrantOf("b"), {Ok()}), ReleaseResult::kReleased);
  EXPECT_EQ(EventsOf(scene.world), "");
  EXPECT_EQ(scene.Release(held, {No()}), ReleaseResult::kNotOwner);
  EXPECT_EQ(EventsOf(scene.world), "lost-notification info 20 0 0");
  EXPECT_EQ(scene.world.events[0].hold, 7u);
}

TEST(DriverLock, ALossIsRecordedEvenIfTheReleaseIsDeferred) {
  DriverLockScene scene({"lease", "lost"});
  ASSERT_TRUE(std::holds_alternative<Unknown>(scene.Acquire({Ok("late", 350ms)})));
  scene.driver.lost["a"] = scene.world.now;
  EXPECT_EQ(scene.Release(GrantOf("a"), {}), ReleaseResult::kUnknown);
  EXPECT_EQ(scene.world.events.back().op, Op::kLostNotification);
}

TEST(DriverLock, ALibraryThatCanExtendIsExtendedAlsoWithoutALease) {
  DriverLockScene can({"extend"});
  EXPECT_TRUE(can.lock.ExtendsWithoutLease());
  can.driver.ready = {Ok()};
  const ExtendResult extended =
      can.lock.Extend(GrantOf("a"), kDriverLockLease, can.world.now + kDriverLockPatience);
  EXPECT_EQ(std::get<Extended>(extended).valid_until, MonoTime::max());
  EXPECT_FALSE(DriverLockScene({"lease"}).lock.ExtendsWithoutLease());
}

TEST(DriverLock, ExtendsOnlyIfTheLibraryCanExtend) {
  const Grant held = GrantOf("held");
  const auto extend = [&](DriverLockScene& scene, ScriptedDriver::Answer answer) {
    scene.driver.ready = {std::move(answer)};
    return scene.lock.Extend(held, kDriverLockLease, scene.world.now + kDriverLockPatience);
  };
  DriverLockScene can({"lease", "extend"});
  EXPECT_EQ(std::get<Extended>(extend(can, Ok())).valid_until, kStartOfWorld + kDriverLockLease);
  EXPECT_EQ(can.TakeAsked(), R"(extend {"grant":"held","lease_ms":300,"session":3})");
  EXPECT_TRUE(std::holds_alternative<Lost>(extend(can, No())));
  EXPECT_TRUE(std::holds_alternative<Undecided>(extend(can, Failed(true))));
  DriverLockScene cannot;
  EXPECT_TRUE(std::holds_alternative<Undecided>(extend(cannot, Ok())));
  EXPECT_EQ(cannot.TakeAsked(), "");
}

TEST(DriverLock, SeveralKeysAreOneRequestAndEachHasAHoldOfItsOwn) {
  const LockKey keys{.name = "a", .index = 4, .also = {{.name = "b", .index = 2}, {.name = "c"}}};
  const struct {
    ScriptedDriver::Answer answer;
    ReleaseResult released;
  } cases[] = {{Ok(), ReleaseResult::kReleased}, {No(), ReleaseResult::kUnknown}};
  for (const auto& [answer, released] : cases) {
    DriverLockScene scene({"keys-together", "lease"});
    EXPECT_TRUE(scene.lock.TakesKeysTogether());
    scene.driver.ready = {Ok("3f9c")};
    const AcquireResult result =
        scene.lock.TryAcquire(keys, kDriverLockLease, scene.world.now + kDriverLockPatience);
    EXPECT_EQ(scene.TakeAsked(),
              R"(acquire {"also":["b","c"],"key":"a","lease_ms":300,"session":3,"wait_ms":50})");
    const Grant& grant = std::get<Granted>(result).grant;
    EXPECT_EQ(scene.Release(grant, {answer}), released);
    EXPECT_EQ(scene.TakeAsked(), R"(release {"grant":"3f9c","session":3})");
    EXPECT_EQ(std::get<Granted>(scene.Acquire({Ok("next")})).grant.hold, grant.hold + 3);
  }
  EXPECT_TRUE(DriverEntryWith(std::vector<std::string>{"keys-together"}).Has(Trait::kManyKeys));
}

TEST(DriverLock, ALossIsRecordedOnEachKey) {
  DriverLockScene scene({"keys-together", "lease", "lost"});
  Grant grant = GrantOf("a");
  grant.hold = 7;
  grant.key = {.name = "a", .index = 4, .also = {{.name = "b", .index = 2}}};
  scene.driver.lost["a"] = scene.world.now;
  (void)scene.Release(grant, {Ok()});
  ASSERT_EQ(scene.world.events.size(), 2U);
  EXPECT_EQ(scene.world.events[1].op, Op::kLostNotification);
  EXPECT_EQ(scene.world.events[1].key, 2);
  EXPECT_EQ(scene.world.events[1].hold, 8U);
}

}  // namespace
}  // namespace doublehold
