#include "lib/real/real_env.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "lib/redis/hiredis_connection.h"
#include "lib/testing/servers.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::Eventually;

class RealEnvTest : public ::testing::Test {
 protected:
  RealEnvTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, step_.data()), 0);
    shared_.Control(1).start_ns.store(ToNs(RealMono()));
    process_ = {.number = 1, .seed = 7, .addresses = {}, .shared = &shared_, .step_fd = step_[1]};
  }
  ~RealEnvTest() override {
    for (const int fd : step_) close(fd);
  }
  std::span<const Event> Recorded(TaskKind task) {
    return ReadSegment(shared_.Segment(1, task)).events;
  }

  SharedRun shared_ = std::move(*SharedRun::Create(2, 0));
  std::array<int, 2> step_{};
  RealProcess process_;
};

TEST_F(RealEnvTest, TimesCountFromTheStartOfTheRun) {
  RealEnv env(process_, TaskKind::kSession);
  const MonoTime before = RealMono();
  const MonoTime now = env.Mono();
  EXPECT_LE(before, now);
  EXPECT_LE(now, RealMono());
  const int64_t start_ns = shared_.Control(1).start_ns.load();
  EXPECT_EQ(env.SinceStartNs(now), ToNs(now) - start_ns);
  EXPECT_EQ(env.SinceStartNs(MonoTime::max()), INT64_MAX);
  EXPECT_GT(ToMs(env.Wall()), 1'600'000'000'000) << "milliseconds since 1970";
}

TEST_F(RealEnvTest, SleepsUntilTheTime) {
  RealEnv env(process_, TaskKind::kSession);
  const MonoTime until = env.Mono() + 15ms;
  EXPECT_TRUE(env.SleepUntil(until));
  EXPECT_GE(env.Mono(), until);
  EXPECT_TRUE(env.SleepUntil(until)) << "a time that is past is no sleep";
}

TEST_F(RealEnvTest, RecordsWithItsOwnTimeStamp) {
  RealEnv env(process_, TaskKind::kSession);
  env.Record({.at_ns = -1, .hold = 5, .client = 99, .op = Op::kAcquire, .type = EventType::kOk});
  ASSERT_EQ(Recorded(TaskKind::kSession).size(), 1u);
  const Event& event = Recorded(TaskKind::kSession)[0];
  EXPECT_EQ(event.client, 1);
  EXPECT_EQ(event.task, TaskKind::kSession);
  EXPECT_EQ(event.hold, 5u);
  EXPECT_GE(event.at_ns, 0);
  EXPECT_LE(event.at_ns, env.SinceStartNs(RealMono()));
}

TEST_F(RealEnvTest, GrantsAndOrdersAreCountedForTheProgressLine) {
  RealEnv env(process_, TaskKind::kSession);
  for (const EventType type : {EventType::kInvoke, EventType::kOk, EventType::kFail}) {
    for (const Op op : {Op::kAcquire, Op::kOrder, Op::kOrder, Op::kRelease}) {
      env.Record({.op = op, .type = type});
    }
  }
  EXPECT_EQ(shared_.Control(1).grants.load(), 1);
  EXPECT_EQ(shared_.Control(1).orders.load(), 2);
}

TEST_F(RealEnvTest, ATaskHasItsOwnEnvAndSegment) {
  RealEnv env(process_, TaskKind::kSession);
  std::atomic<int64_t> written = 0;
  {
    const auto task = env.Spawn(TaskKind::kWatchdog, [&](Env& own) {
      while (own.SleepUntil(own.Mono() + 1us)) {
        own.Record({.op = Op::kExtend});
        written.fetch_add(1);
      }
    });
    for (int i = 0; i < 1000; ++i) env.Record({.op = Op::kRead});
    EXPECT_TRUE(Eventually([&] { return written.load() > 100; }));
  }
  EXPECT_EQ(Recorded(TaskKind::kSession).size(), 1000u);
  EXPECT_EQ(static_cast<int64_t>(Recorded(TaskKind::kWatchdog).size()), written.load());
  for (const Event& event : Recorded(TaskKind::kWatchdog))
    EXPECT_EQ(event.task, TaskKind::kWatchdog);
}

TEST_F(RealEnvTest, DestroyingATaskEndsItsSleepEarly) {
  RealEnv env(process_, TaskKind::kSession);
  std::atomic<bool> begun = false;
  std::atomic<bool> slept_through = true;
  std::atomic<bool> stopping = false;
  const MonoTime until = env.Mono() + std::chrono::hours(1);
  {
    const auto task = env.Spawn(TaskKind::kMeter, [&](Env& own) {
      EXPECT_FALSE(own.Stopping());
      begun = true;
      slept_through = own.SleepUntil(until);
      stopping = own.Stopping();
    });
    EXPECT_TRUE(Eventually([&] { return begun.load(); }));
  }
  EXPECT_FALSE(slept_through.load());
  EXPECT_TRUE(stopping.load());
  EXPECT_FALSE(env.Stopping()) << "the session goes on";
}

TEST_F(RealEnvTest, TheSupervisorsStopReachesEveryTask) {
  RealEnv env(process_, TaskKind::kSession);
  EXPECT_FALSE(env.Stopping());
  shared_.Control(1).stop.store(1);
  EXPECT_TRUE(env.Stopping());
  std::atomic<bool> seen = false;
  {
    const auto task = env.Spawn(TaskKind::kMeter, [&](Env& own) { seen = own.Stopping(); });
  }
  EXPECT_TRUE(seen.load());
}

TEST_F(RealEnvTest, AnUnarmedStepIsNotAnnounced) {
  RealEnv env(process_, TaskKind::kSession);
  shared_.Control(1).armed.store(1U << static_cast<unsigned>(Step::kAfterRead));
  env.Reach(Step::kAfterAcquire);
  uint8_t message = 0;
  EXPECT_EQ(recv(step_[0], &message, 1, MSG_DONTWAIT), -1);
}

TEST_F(RealEnvTest, AnArmedStepIsAnnouncedAndWaitsForItsAnswer) {
  RealEnv env(process_, TaskKind::kSession);
  shared_.Control(1).armed.store(1U << static_cast<unsigned>(Step::kBeforeWrite));
  std::atomic<bool> answered = false;
  std::thread supervisor([&] {
    uint8_t message = 0;
    EXPECT_EQ(recv(step_[0], &message, 1, 0), 1);
    EXPECT_EQ(message, static_cast<uint8_t>(Step::kBeforeWrite));
    answered = true;
    EXPECT_EQ(send(step_[0], "g", 1, 0), 1);
  });
  env.Reach(Step::kBeforeWrite);
  EXPECT_TRUE(answered.load());
  supervisor.join();
}

TEST_F(RealEnvTest, AnnouncingToADeadSupervisorEndsTheProcess) {
  shared_.Control(1).armed.store(1U << static_cast<unsigned>(Step::kStart));
  const pid_t child = fork();
  if (child == 0) {
    close(step_[0]);
    RealEnv env(process_, TaskKind::kSession);
    env.Reach(Step::kStart);
    _exit(1);
  }
  close(step_[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(RealEnvTest, EqualSeedsDrawEqually) {
  RealEnv a(process_, TaskKind::kSession);
  RealEnv b(process_, TaskKind::kSession);
  EXPECT_EQ(a.Random().Next(), b.Random().Next());
  RealEnv meter(process_, TaskKind::kMeter);
  EXPECT_NE(a.Random().Next(), meter.Random().Next());
}

TEST_F(RealEnvTest, ASecondTaskOfAKindIsABugBecauseItWouldShareASegment) {
  RealEnv watchdog(process_, TaskKind::kWatchdog);
  EXPECT_DEATH((void)watchdog.Spawn(TaskKind::kWatchdog, [](Env&) {}), "CHECK failed");
}

TEST_F(RealEnvTest, FurtherSessionsHaveTheirOwnNumbersSegmentsAndStreams) {
  SharedRun shared = std::move(*SharedRun::Create(2, 0, /*threads=*/3));
  shared.Control(1).start_ns.store(ToNs(RealMono()));
  const RealProcess process{.number = 1, .seed = 7, .shared = &shared};
  RealEnv first(process, TaskKind::kSession);
  std::array<uint64_t, 3> drawn{first.Random().Next(), 0, 0};
  for (size_t thread = 1; thread < 3; ++thread) {
    const auto session = first.Spawn(TaskKind::kSession, [&drawn, thread](Env& env) {
      drawn.at(thread) = env.Random().Next();
      env.Record({.op = Op::kWait});
      const auto watchdog =
          env.Spawn(TaskKind::kWatchdog, [](Env& own) { own.Record({.op = Op::kExtend}); });
    });
  }
  EXPECT_EQ((std::set<uint64_t>{drawn.begin(), drawn.end()}.size()), 3U);
  for (int thread = 1; thread < 3; ++thread) {
    for (const TaskKind task : {TaskKind::kSession, TaskKind::kWatchdog}) {
      const auto events = ReadSegment(shared.Segment(1, task, thread)).events;
      ASSERT_EQ(events.size(), 1U);
      EXPECT_EQ(events[0].thread, thread);
      EXPECT_EQ(events[0].task, task);
    }
  }
}

TEST(MeterStalls, RecordsALongStall) {
  testing::World world;
  testing::FakeEnv env(world);
  // The task is stalled from 25 to 90 ms and from 205 to 212 ms.
  world.At(25ms, [&] { world.Advance(65ms); });
  world.At(205ms, [&] { world.Advance(7ms); });
  world.task_end = testing::kStartOfWorld + 300ms;
  ClientControl control{};
  MeterStalls(env, /*threshold=*/20ms, &control);
  ASSERT_EQ(testing::FormatEvents(world.events), (std::vector<std::string>{"90 info stall"}));
  EXPECT_EQ(world.events[0].value[0], ToNs(60ms)) << "it was to wake at 30 ms";
  EXPECT_EQ(control.wall_ahead_ns.load(), ToNs(world.wall_ahead));
}

// The recorder guarantees that appended events survive their writer's death.
TEST(Recorder, EventsOfAKilledWriterSurvive) {
  SharedRun shared = std::move(*SharedRun::Create(1, 0));
  const pid_t writer = fork();
  if (writer == 0) {
    Recorder recorder(shared.Segment(0, TaskKind::kSession));
    for (int64_t i = 0;; ++i) recorder.Append({.at_ns = i, .value = {i, -i}});
  }
  const auto read = [&] { return ReadSegment(shared.Segment(0, TaskKind::kSession)).events; };
  EXPECT_TRUE(Eventually([&] { return read().size() > 10'000; }));
  kill(writer, SIGKILL);
  ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
  const std::span<const Event> events = read();
  ASSERT_GT(events.size(), 10'000u);
  for (size_t i = 0; i < events.size(); ++i) {
    const auto n = static_cast<int64_t>(i);
    ASSERT_EQ(events[i], (Event{.at_ns = n, .value = {n, -n}}));
  }
}

}  // namespace
}  // namespace doublehold
