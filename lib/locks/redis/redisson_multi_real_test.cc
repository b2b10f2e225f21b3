// Several of Redisson's locks at once, on a real server.
#include <array>
#include <atomic>
#include <thread>

#include "lib/locks/redis/redisson_multi.h"
#include "lib/testing/variants.h"

namespace doublehold {
namespace {

using testing::Client;
using testing::kPatience;
using testing::OnServers;

const LockKey kOne{.name = "one", .index = 0};
const LockKey kTwo{.name = "two", .index = 1};
const LockKey kThree{.name = "three", .index = 2};

class Multi : public OnServers {};

TEST_F(Multi, AllKeysAreAcquiredOrNone) {
  Client a(1, {"redisson-multi"});
  Client b(2, {"redisson-multi"});
  const std::array keys{kOne, kTwo, kThree};
  const Grant taken = b.Acquire(kThree);
  const RetryPolicy once{.timeout = 0ms, .call_timeout = kPatience};
  EXPECT_FALSE(
      WithLocks(a.env(), a.lock(), keys, a.lease(), once, [](std::span<const Grant>) {}).entered);
  EXPECT_EQ(AskNode(1, {"EXISTS", "one", "two"}), "0");
  EXPECT_EQ(b.Release(taken), ReleaseResult::kReleased);
  std::string inside;
  const auto look = [&](std::span<const Grant> grants) {
    inside = AskNode(1, {"HGETALL", "three"});
    EXPECT_EQ(inside, "[" + grants[2].owner + ", 1]");
    EXPECT_EQ(AskNode(1, {"EXISTS", "one", "two"}), "2");
  };
  EXPECT_TRUE(WithLocks(a.env(), a.lock(), keys, a.lease(), once, look).entered);
  EXPECT_EQ(AskNode(1, {"DBSIZE"}), "0");
}

TEST_F(Multi, NoDeadlockInAnyOrderOfTheKeys) {
  constexpr Lease kLease = 1s;  // also keeps a round short
  const std::array<std::array<LockKey, 3>, 3> orders{
      {{kOne, kTwo, kThree}, {kThree, kOne, kTwo}, {kTwo, kThree, kOne}}};
  std::atomic<int> inside = 0;
  std::vector<std::thread> threads;
  for (int number = 1; number <= 3; ++number) {
    threads.emplace_back([&, number] {
      Client client(number, {"redisson-multi"}, kLease);
      const RetryPolicy policy{.interval = 5ms, .timeout = kPatience, .call_timeout = kPatience};
      for (int i = 0; i < 10; ++i) {
        const ManyEntry entry =
            WithLocks(client.env(), client.lock(), orders[static_cast<size_t>(number - 1)], kLease,
                      policy, [&](std::span<const Grant>) {
                        EXPECT_EQ(inside.fetch_add(1), 0);
                        inside.fetch_sub(1);
                      });
        EXPECT_TRUE(entry.entered);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(AskNode(1, {"DBSIZE"}), "0");
}

}  // namespace
}  // namespace doublehold
