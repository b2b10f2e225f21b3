// redlock on real servers.
#include <atomic>
#include <thread>

#include "lib/testing/variants.h"

namespace doublehold {
namespace {

using testing::Client;
using testing::Eventually;
using testing::kShortLease;
using testing::NameOf;
using testing::OnServers;
using testing::Variant;

const LockKey kRedlockKey{.name = "k"};

class RedlockTest : public OnServers {
 protected:
  // Nodes that were stopped execute the commands that they had received, in order. The key may be
  // missing even before they do so, so the check begins after a delay.
  static void ExpectNothingIsLeftOn(std::initializer_list<int> nodes) {
    const MonoTime begin = RealMono() + 50ms;
    ASSERT_TRUE(Eventually([&] { return RealMono() > begin; }));
    for (const int node : nodes)
      EXPECT_TRUE(Eventually([&] { return AskNode(node, {"EXISTS", "k"}) == "0"; })) << node;
  }
};

// Returns redlock in two variants: nodes are asked in turn, and concurrently.
std::vector<Variant> Askings() {
  return {{"redlock", {{"ask", "in-turn"}}}, {"redlock", {{"ask", "at-once"}}}};
}

TEST_F(RedlockTest, ReleasesAMinority) {
  for (const Variant& asking : Askings()) {
    SCOPED_TRACE(NameOf(asking));
    Empty();
    Client a(1, asking);
    for (int node = 1; node <= 3; ++node) ASSERT_EQ(AskNode(node, {"SET", "k", "other"}), "OK");
    EXPECT_TRUE(a.IsBusy(kRedlockKey));
    for (int node = 1; node <= 3; ++node) EXPECT_EQ(AskNode(node, {"GET", "k"}), "other");
    for (int node = 4; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
    ASSERT_EQ(AskNode(3, {"DEL", "k"}), "1");
    const Grant grant = a.Acquire(kRedlockKey);
    for (int node = 3; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"GET", "k"}), grant.owner);
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased) << "a majority was ours";
  }
}

TEST_F(RedlockTest, ToleratesALostMinority) {
  for (const Variant& asking : Askings()) {
    SCOPED_TRACE(NameOf(asking));
    Empty();
    auto options = asking.options;
    options["node-timeout"] = "300ms";
    Client a(1, {asking.lock, options});
    // First acquires and releases once, so that every node knows the script.
    EXPECT_EQ(a.Release(a.Acquire(kRedlockKey)), ReleaseResult::kReleased);
    Node(2).Kill();
    Node(5).Stop();
    const Grant grant = a.Acquire(kRedlockKey);
    EXPECT_TRUE(Client(2, {asking.lock, options}).IsBusy(kRedlockKey));
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
    Node(4).Kill();
    EXPECT_TRUE(a.IsBusy(kRedlockKey));
    for (const int node : {1, 3}) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
    Node(5).Continue();
    Node(2).Start();
    Node(4).Start();
    ExpectNothingIsLeftOn({5});
  }
}

TEST_F(RedlockTest, RefusesAGrantWithoutValidity) {
  for (const Variant& asking : Askings()) {
    SCOPED_TRACE(NameOf(asking));
    Empty();
    auto options = asking.options;
    options["node-timeout"] = "1.2 lease";
    Client a(1, {asking.lock, options}, kShortLease);
    Node(5).Stop();
    EXPECT_TRUE(a.IsBusy(kRedlockKey)) << "four said yes, but asking took longer than the lease";
    Node(5).Continue();
    (void)a.AcquireEventually(kRedlockKey);
  }
}

TEST_F(RedlockTest, AnExtensionReportsTheLockLostOnlyWhenAMajorityRefusesIt) {
  Client a(1, {"redlock"});
  const Grant grant = a.Acquire(kRedlockKey);
  for (const int node : {1, 2, 3}) Node(node).Kill();
  EXPECT_TRUE(std::holds_alternative<Undecided>(a.Extend(grant))) << "two say yes, three nothing";
  for (const int node : {1, 2, 3}) Node(node).Start();  // restarts empty
  EXPECT_TRUE(std::holds_alternative<Lost>(a.Extend(grant)));
}

TEST_F(RedlockTest, TwoCompetingClientsAreBothGrantedEventually) {
  Client a(1, {"redlock"});
  Client b(2, {"redlock"});
  // Both clients try repeatedly at the same time. Each client is granted in the end. Never are both
  // granted at once.
  std::atomic<int> holders = 0;
  const auto compete = [&](Client& client) {
    for (int i = 0; i < 20; ++i) {
      const Grant grant = client.AcquireEventually(kRedlockKey);
      EXPECT_EQ(holders.fetch_add(1), 0);
      holders.fetch_sub(1);
      EXPECT_EQ(client.Release(grant), ReleaseResult::kReleased);
    }
  };
  std::thread other([&] { compete(b); });
  compete(a);
  other.join();
}

TEST_F(RedlockTest, TheSameOwnerIsOnEveryNode) {
  Client a(1, {"redlock"});
  const Grant grant = a.Acquire(kRedlockKey);
  for (int node = 1; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"GET", "k"}), grant.owner);
}

// ---- redlock-redisson

// The owner text of a client other than the tested one.
constexpr const char* kOther = "other:1";

TEST_F(RedlockTest, RedlockRedissonReleasesAMinority) {
  Client a(1, {"redlock-redisson"});
  for (int node = 1; node <= 3; ++node) ASSERT_EQ(AskNode(node, {"HSET", "k", kOther, "1"}), "1");
  EXPECT_TRUE(a.IsBusy(kRedlockKey));
  for (int node = 1; node <= 3; ++node)
    EXPECT_EQ(AskNode(node, {"HGETALL", "k"}), "[other:1, 1]") << node;
  for (int node = 4; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
  ASSERT_EQ(AskNode(3, {"DEL", "k"}), "1");
  const Grant grant = a.Acquire(kRedlockKey);
  for (int node = 3; node <= 5; ++node)
    EXPECT_EQ(AskNode(node, {"HGETALL", "k"}), "[" + grant.owner + ", 1]");
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  for (int node = 3; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
}

TEST_F(RedlockTest, RedlockRedissonStopsAskingAfterABareMajorityAndAFailure) {
  Client a(1, {"redlock-redisson"});
  ASSERT_EQ(AskNode(4, {"HSET", "k", kOther, "1"}), "1");
  const Grant grant = a.Acquire(kRedlockKey);
  EXPECT_EQ(AskNode(3, {"EXISTS", "k"}), "1");
  EXPECT_EQ(AskNode(5, {"EXISTS", "k"}), "0");
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
}

TEST_F(RedlockTest, RedlockRedissonToleratesALostMinority) {
  const Variant variant{"redlock-redisson", {{"node-timeout", "300ms"}}};
  Client a(1, variant);
  EXPECT_EQ(a.Release(a.Acquire(kRedlockKey)), ReleaseResult::kReleased);
  Node(2).Kill();
  Node(5).Stop();
  const Grant grant = a.Acquire(kRedlockKey);
  EXPECT_TRUE(Client(2, variant).IsBusy(kRedlockKey));
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  Node(4).Kill();
  EXPECT_TRUE(a.IsBusy(kRedlockKey));
  for (const int node : {1, 3}) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
  Node(5).Continue();
  Node(2).Start();
  Node(4).Start();
  ExpectNothingIsLeftOn({5});
}

TEST_F(RedlockTest, RedlockRedissonLeavesNothingOnNodesThatReplyTooLate) {
  Client a(1, {"redlock-redisson", {{"node-timeout", "20ms"}}});
  EXPECT_EQ(a.Release(a.Acquire(kRedlockKey)), ReleaseResult::kReleased);
  for (const int node : {1, 2, 3}) Node(node).Stop();
  EXPECT_TRUE(a.IsBusy(kRedlockKey));
  for (const int node : {1, 2, 3}) Node(node).Continue();
  ExpectNothingIsLeftOn({1, 2, 3});
}

TEST_F(RedlockTest, RedlockRedissonIsExtendedBeyondItsLeaseByItsWatchdog) {
  constexpr Lease kWatched = 1500ms;
  Client a(1, {"redlock-redisson", {{"node-timeout", "1s"}}}, kWatched);
  Client b(2, {"redlock-redisson", {{"node-timeout", "1s"}}}, kWatched);
  const Grant grant = a.Acquire(kRedlockKey);
  while (a.env().Mono() < grant.valid_until + 100ms) {
    ASSERT_TRUE(b.IsBusy(kRedlockKey));
    a.env().SleepUntil(a.env().Mono() + 20ms);
  }
  for (int node = 1; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "1") << node;
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  (void)b.AcquireEventually(kRedlockKey);
}

}  // namespace
}  // namespace doublehold
