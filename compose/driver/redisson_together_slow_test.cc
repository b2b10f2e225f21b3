// Tests that Redisson and this project's lock `redisson` exclude each other on one key of one
// server. Skipped without a package registry.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "compose/driver/bundled_drivers.h"
#include "compose/driver/driver.h"
#include "compose/os/reserved_ports.h"
#include "lib/locks/retry.h"
#include "lib/real/real_env.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::kPatience;

constexpr Lease kRedissonTogetherLease = kPatience * 2;  // no lease expires in these tests
const LockKey kKey{.name = "k"};

// A lock and the client session that uses it.
struct Party {
  Party(int number, const NodeAddress& server)
      : process{.number = number, .seed = 7, .addresses = {{}, server}} {}
  [[nodiscard]] LockContext Context(const std::map<std::string, std::string>& options) {
    return {.env = env,
            .client = process.number,
            .seed = 7,
            .nodes = 1,
            .lease = kRedissonTogetherLease,
            .call_timeout = kPatience,
            .options = Options(options)};
  }
  AcquireResult Try(Duration patience) {
    return lock->TryAcquire(kKey, kRedissonTogetherLease, env.Mono() + patience);
  }
  // Fails the test unless the lock is granted.
  Grant Acquire() {
    AcquireResult result = Try(kPatience);
    if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << process.number << " was not granted the lock";
    return {};
  }
  void Release(const Grant& grant) {
    EXPECT_EQ(lock->Release(grant, env.Mono() + kPatience), ReleaseResult::kReleased);
  }
  // Whether an attempt of 4 s is refused. Redisson waits for half of this time.
  bool IsBusy() { return std::holds_alternative<Busy>(Try(4s)); }

  RealProcess process;
  RealEnv env{process, TaskKind::kSession};
  std::unique_ptr<Lock> lock;
};

class SharedKey : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Result<void> installed = InstallDriver("redisson"); !installed)
      GTEST_SKIP() << installed.error().message;
    Result<std::unique_ptr<DriverChannel>> started =
        DriverChannel::Start({.command = *FindDriverCommand("redisson"), .log = log_});
    ASSERT_TRUE(started.has_value()) << started.error().message;
    driver_.channel = std::move(*started);
  }
  void Meet() {
    const Result<DriverHello> hello = SayHello(*driver_.channel, {}, log_);
    ASSERT_TRUE(hello.has_value()) << hello.error().message;
    driver_.hello = *hello;
    const std::array nodes{NodeAddress{.unix_path = {}, .port = ports_.At(0)}};
    const Result<void> ready = doublehold::SetUp(
        *driver_.channel, {.client = 2, .nodes = nodes, .lease = kRedissonTogetherLease}, log_);
    ASSERT_TRUE(ready.has_value()) << ready.error().message;
    theirs_.lock = driver_.MakeLock(theirs_.Context({}));
    const LockEntry& entry = *FindLock("redisson");
    options_ = *CompleteOptions(entry.name, entry.options, {}, kRedissonTogetherLease);
    ours_.lock = entry.make(ours_.Context(options_));
  }
  std::string Ask(std::initializer_list<std::string_view> command) {
    return testing::Ask(server_.address(), command);
  }

  testing::TempFolder folder_;
  std::filesystem::path log_ = folder_.path() / "driver.log";
  HeldPorts ports_ = *HeldPorts::Take(1);
  testing::Server server_{
      folder_.path() / "server",
      {.arguments = {"--bind", "127.0.0.1", "--port", std::to_string(ports_.At(0))}}};
  ClientDriver driver_;
  std::map<std::string, std::string> options_;
  Party ours_{1, server_.address()}, theirs_{2, server_.address()};
};

TEST_F(SharedKey, EachExcludesTheOther) {
  Meet();
  for (auto [holder, other] : {std::pair{&ours_, &theirs_}, std::pair{&theirs_, &ours_}}) {
    const Grant grant = holder->Acquire();
    EXPECT_EQ(Ask({"TYPE", "k"}), "hash");
    EXPECT_TRUE(other->IsBusy());
    holder->Release(grant);
    other->Release(other->Acquire());
    EXPECT_EQ(Ask({"EXISTS", "k"}), "0");
  }
}

// Redisson waits for a message or for the end of the lease. The lease is longer than its wait.
TEST_F(SharedKey, EachWakesTheOther) {
  Meet();
  const Grant first = ours_.Acquire();
  Grant second;
  ASSERT_EQ(Ask({"CONFIG", "RESETSTAT"}), "OK");
  std::thread waiter([&] { second = theirs_.Acquire(); });
  // Redisson tries, subscribes, and tries once more.
  EXPECT_TRUE(Eventually([&] {
    return Ask({"INFO", "commandstats"}).find("cmdstat_eval:calls=2,") != std::string::npos;
  }));
  ours_.Release(first);
  waiter.join();

  EXPECT_TRUE(ours_.IsBusy());
  Subscription* wake_ups = ours_.lock->WakeUps(kKey);
  ASSERT_NE(wake_ups, nullptr);
  EXPECT_TRUE(wake_ups->Wait(ours_.env.Mono() + kPatience)) << "subscribed: look once";
  EXPECT_FALSE(wake_ups->Wait(ours_.env.Mono() + 20ms)) << "still held";
  theirs_.Release(second);
  EXPECT_TRUE(wake_ups->Wait(ours_.env.Mono() + kPatience));
  ours_.Release(ours_.Acquire());
}

TEST_F(SharedKey, TheTwoNeverHoldTheLockAtOnce) {
  constexpr int kGrants = 200;  // grants of each of the two locks
  Meet();
  std::atomic<int> inside{0}, overlaps{0};
  const auto contend = [&](Party& party) {
    const RetryPolicy policy{.interval = 1ms, .timeout = kPatience, .call_timeout = kPatience};
    for (int i = 0; i < kGrants; ++i) {
      AcquireResult result =
          AcquireWithRetry(party.env, *party.lock, kKey, kRedissonTogetherLease, policy);
      const auto* granted = std::get_if<Granted>(&result);
      ASSERT_NE(granted, nullptr) << party.process.number << " after " << i << " grants";
      if (inside.fetch_add(1) != 0) ++overlaps;
      party.env.SleepUntil(party.env.Mono() + 1ms);  // the other party tries to acquire
      --inside;
      party.Release(granted->grant);
    }
  };
  std::thread library([&] { contend(theirs_); });
  contend(ours_);
  library.join();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(Ask({"EXISTS", "k"}), "0") << "nothing is left";
}

}  // namespace
}  // namespace doublehold
