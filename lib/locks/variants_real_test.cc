// The lock variants on real servers.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "lib/locks/registry.h"
#include "lib/locks/retry.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/redis/real_env.h"
#include "lib/redis/socket.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::Ask;
using testing::Eventually;
using testing::kPatience;
using testing::Server;
using testing::TempFolder;
using Values = std::map<std::string, std::string>;

constexpr Lease kLease = 300ms;
constexpr Lease kLongLease = 60s;
const LockKey kKey{.name = "k"};

// Up to five servers, made once for all tests of a suite: they start slower than a test lasts.
class Variants : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    for (int i = 0; i < 5; ++i) {
      servers_.push_back(std::make_unique<Server>(folder_->path() / std::to_string(i + 1)));
    }
  }
  static void TearDownTestSuite() {
    servers_.clear();
    delete folder_;
  }
  void SetUp() override {
    for (const auto& server : servers_) ASSERT_EQ(Ask(server->address(), {"FLUSHALL"}), "OK");
  }
  static Server& Node(int number) { return *servers_.at(static_cast<size_t>(number - 1)); }
  static std::string AskNode(int node, std::initializer_list<std::string_view> command) {
    return Ask(Node(node).address(), command);
  }

  static TempFolder* folder_;
  static std::vector<std::unique_ptr<Server>> servers_;

 public:
  static std::vector<NodeAddress> Addresses() {
    std::vector<NodeAddress> addresses{{}};  // no store
    for (const auto& server : servers_) addresses.push_back(server->address());
    return addresses;
  }
};
TempFolder* Variants::folder_ = nullptr;
std::vector<std::unique_ptr<Server>> Variants::servers_;

// One client of a run, in this process.
class Client {
 public:
  Client(int number, const std::string& lock, const Values& given = {}, Lease lease = kLease)
      : lease_(lease), process_{.number = number, .seed = 7, .addresses = Variants::Addresses()} {
    const LockEntry& entry = *FindLock(lock);
    options_ = *CompleteOptions(lock, entry.options, given, lease);
    lock_ = entry.make({.env = env_,
                        .client = number,
                        .seed = 7,
                        .nodes = lock == "redlock" ? 5 : 1,
                        .lease = lease,
                        .call_timeout = kPatience,
                        .options = Options(options_)});
  }

  AcquireResult Try() { return Try(env_.Mono() + kPatience); }
  AcquireResult Try(Deadline deadline) { return lock_->TryAcquire(kKey, lease_, deadline); }
  // Granted, or the test fails.
  Grant Acquire() {
    AcquireResult result = Try();
    if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << "not granted";
    return {};
  }
  // Tries until it is granted, for longer than any lease but the long one.
  Grant AcquireEventually() {
    const RetryPolicy policy{.interval = 2ms, .timeout = kPatience, .call_timeout = kPatience};
    AcquireResult result = AcquireWithRetry(env_, *lock_, kKey, lease_, policy);
    if (auto* granted = std::get_if<Granted>(&result)) return granted->grant;
    ADD_FAILURE() << "never granted";
    return {};
  }
  bool IsBusy() { return std::holds_alternative<Busy>(Try()); }
  ReleaseResult Release(const Grant& grant) {
    return lock_->Release(grant, env_.Mono() + kPatience);
  }
  ExtendResult Extend(const Grant& grant) {
    return lock_->Extend(grant, lease_, env_.Mono() + kPatience);
  }

  Env& env() { return env_; }
  Lock& lock() { return *lock_; }

 private:
  Lease lease_;
  RealProcess process_;
  RealEnv env_{process_, TaskKind::kSession};
  Values options_;
  std::unique_ptr<Lock> lock_;
};

struct Variant {
  const char* lock;
  Values options;
};
// Without watchdogs, so that leases end.
const std::vector<Variant>& LeaseLocks() {
  static const std::vector<Variant> variants{{"setnx-getset", {}},
                                             {"set-nx-px", {}},
                                             {"set-nx-px-del", {}},
                                             {"redisson", {{"explicit-lease", "true"}}},
                                             {"redlock", {{"ask", "in-turn"}}},
                                             {"redlock", {{"ask", "at-once"}}},
                                             {"redlock", {{"clock", "wall"}}}};
  return variants;
}
std::string NameOf(const Variant& variant) {
  std::string name = variant.lock;
  for (const auto& [option, value] : variant.options) name += " " + option + "=" + value;
  return name;
}

TEST_F(Variants, OneClientHoldsAndTheOtherIsRefusedUntilTheRelease) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    SetUp();
    Client a(1, variant.lock, variant.options, kLongLease);
    Client b(2, variant.lock, variant.options, kLongLease);
    const MonoTime before = a.env().Mono();
    const Grant grant = a.Acquire();
    EXPECT_LE(grant.valid_until, a.env().Mono() + kLongLease);
    EXPECT_GT(grant.valid_until, before + kLongLease * 98 / 100 - 10ms) << "less the drift";
    EXPECT_TRUE(b.IsBusy());
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
    const Grant next = b.Acquire();
    EXPECT_NE(next.hold, grant.hold);
    EXPECT_TRUE(a.IsBusy());
    EXPECT_EQ(b.Release(next), ReleaseResult::kReleased);
    for (int node = 1; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
  }
}

TEST_F(Variants, ALockWhoseHolderIsGoneIsFreeAfterItsLeaseAndNotBefore) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    SetUp();
    Client a(1, variant.lock, variant.options);
    Client b(2, variant.lock, variant.options);
    const MonoTime invoked = a.env().Mono();
    const Grant grant = a.Acquire();
    const Grant next = b.AcquireEventually();
    EXPECT_GE(b.env().Mono(), grant.valid_until);
    EXPECT_GE(b.env().Mono() - invoked, kLease - 1ms) << "servers count whole milliseconds";
    EXPECT_GT(next.valid_until, grant.valid_until);
  }
}

TEST_F(Variants, ALateReleaseFreesNobodyElsesLockWhereTheOwnerIsCompared) {
  for (const Variant& variant : LeaseLocks()) {
    SCOPED_TRACE(NameOf(variant));
    SetUp();
    // The next holder's lease is long, so that nothing but the release can free it.
    Client a(1, variant.lock, variant.options);
    Client b(2, variant.lock, variant.options, kLongLease);
    Client c(3, variant.lock, variant.options, kLongLease);
    const Grant late = a.Acquire();
    const Grant next = b.AcquireEventually();
    const bool compares =
        std::string(variant.lock) != "setnx-getset" && !variant.options.contains("release");
    EXPECT_EQ(a.Release(late), compares ? ReleaseResult::kNotOwner : ReleaseResult::kReleased);
    EXPECT_EQ(c.IsBusy(), compares) << "else that is the attack (K03)";
    EXPECT_EQ(b.Release(next) == ReleaseResult::kReleased, true);
  }
}

TEST_F(Variants, AnExtensionLengthensTheHoldersLeaseOnly) {
  for (const char* lock : {"set-nx-px", "redlock", "redisson"}) {
    SCOPED_TRACE(lock);
    SetUp();
    const Values options =
        std::string(lock) == "redisson" ? Values{{"explicit-lease", "true"}} : Values{};
    Client a(1, lock, options);
    Client b(2, lock, options, kLongLease);
    const Grant grant = a.Acquire();
    const ExtendResult extended = a.Extend(grant);
    ASSERT_TRUE(std::holds_alternative<Extended>(extended));
    EXPECT_GT(std::get<Extended>(extended).valid_until, grant.valid_until);
    (void)b.AcquireEventually();
    EXPECT_GE(b.env().Mono(), std::get<Extended>(extended).valid_until);
    EXPECT_TRUE(std::holds_alternative<Lost>(a.Extend(grant)));
  }
}

TEST_F(Variants, WithoutALockEveryoneIsGranted) {
  Client a(1, "none");
  Client b(2, "none");
  const Grant grant = a.Acquire();
  EXPECT_EQ(grant.valid_until, MonoTime::max());
  (void)b.Acquire();
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
}

TEST_F(Variants, TheKeyIsTheOnesOfTheOriginals) {
  Client nx(1, "set-nx-px", {}, kLongLease);
  const Grant grant = nx.Acquire();
  EXPECT_EQ(AskNode(1, {"GET", "k"}), grant.owner);
  EXPECT_GT(std::stoll(AskNode(1, {"PTTL", "k"})), 0);
  EXPECT_LE(std::stoll(AskNode(1, {"PTTL", "k"})), ToMs(kLongLease));

  SetUp();
  Client getset(1, "setnx-getset", {}, kLongLease);
  const int64_t now_ms = ToMs(getset.env().Wall());
  (void)getset.Acquire();
  const int64_t over_ms = std::stoll(AskNode(1, {"GET", "k"}));
  EXPECT_GE(over_ms, now_ms + ToMs(kLongLease));
  EXPECT_LE(over_ms, ToMs(getset.env().Wall()) + ToMs(kLongLease));
  EXPECT_GT(std::stoll(AskNode(1, {"TTL", "k"})), 86'000) << "the last resort, a day";

  SetUp();
  Client redlock(1, "redlock", {}, kLongLease);
  const Grant quorum = redlock.Acquire();
  for (int node = 1; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"GET", "k"}), quorum.owner);
}

TEST_F(Variants, AServerThatDoesNotAnswerLeavesTheOutcomeUnknown) {
  for (const Variant& variant : LeaseLocks()) {
    if (std::string(variant.lock) == "redlock") continue;  // it decides by itself
    SCOPED_TRACE(NameOf(variant));
    SetUp();
    Client a(1, variant.lock, variant.options, kLongLease);
    Client b(2, variant.lock, variant.options, kLongLease);
    // Once before, so that the server knows the scripts: what it does not know it cannot do later.
    EXPECT_EQ(a.Release(a.Acquire()), ReleaseResult::kReleased);
    Node(1).Stop();
    const AcquireResult result = a.Try(a.env().Mono() + 50ms);
    Node(1).Continue();
    ASSERT_TRUE(std::holds_alternative<Unknown>(result));
    // Its bytes had arrived: it was carried out afterwards, and blocks the others until it is released.
    ASSERT_TRUE(Eventually([&] { return AskNode(1, {"EXISTS", "k"}) == "1"; }));
    EXPECT_TRUE(b.IsBusy());
    EXPECT_EQ(a.Release(std::get<Unknown>(result).perhaps), ReleaseResult::kReleased);
    (void)b.Acquire();
  }
}

TEST_F(Variants, AServerThatIsGoneGrantsNothing) {
  for (const Variant& variant : LeaseLocks()) {
    if (std::string(variant.lock) == "redlock") continue;
    SCOPED_TRACE(NameOf(variant));
    Client a(1, variant.lock, variant.options);
    Node(1).Kill();
    EXPECT_TRUE(a.IsBusy());
    Node(1).Start();
    (void)a.Acquire();
  }
}

// ---- setnx-getset

TEST_F(Variants, SetnxGetsetTakesOverAnInstantThatIsPast) {
  Client a(1, "setnx-getset", {}, kLongLease);
  ASSERT_EQ(AskNode(1, {"SET", "k", "1000"}), "OK");  // 1970
  (void)a.Acquire();
  for (const char* odd : {"", "soon", "99999999999999"}) {
    ASSERT_EQ(AskNode(1, {"SET", "k", odd}), "OK");
    EXPECT_TRUE(a.IsBusy()) << odd;
    EXPECT_EQ(AskNode(1, {"GET", "k"}), odd);
  }
}

// ---- redisson

TEST_F(Variants, RedissonCountsEntriesOfTheSameThreadInAHash) {
  Client a(1, "redisson", {}, kLongLease);
  Client b(2, "redisson", {}, kLongLease);
  const Grant outer = a.Acquire();
  const Grant inner = a.Acquire();
  EXPECT_EQ(inner.owner, outer.owner);
  EXPECT_NE(inner.hold, outer.hold);
  EXPECT_EQ(AskNode(1, {"HGETALL", "k"}), "[" + outer.owner + ", 2]");
  EXPECT_EQ(outer.owner.size(), 36u + 2) << "uuid:thread, as in " << outer.owner;
  EXPECT_TRUE(outer.owner.ends_with(":1"));
  EXPECT_EQ(a.Release(inner), ReleaseResult::kReleased);
  EXPECT_EQ(AskNode(1, {"HGETALL", "k"}), "[" + outer.owner + ", 1]");
  EXPECT_TRUE(b.IsBusy());
  EXPECT_EQ(a.Release(outer), ReleaseResult::kReleased);
  EXPECT_EQ(AskNode(1, {"EXISTS", "k"}), "0");
  EXPECT_EQ(a.Release(outer), ReleaseResult::kNotOwner);
}

TEST_F(Variants, RedissonTellsHowLongTheHoldersLeaseLasts) {
  Client a(1, "redisson", {}, kLongLease);
  Client b(2, "redisson", {}, kLongLease);
  (void)a.Acquire();
  const AcquireResult refused = b.Try();
  ASSERT_TRUE(std::holds_alternative<Busy>(refused));
  EXPECT_GT(std::get<Busy>(refused).retry_hint, 0ms);
  EXPECT_LE(std::get<Busy>(refused).retry_hint, kLongLease);
  ASSERT_EQ(AskNode(1, {"PERSIST", "k"}), "1");
  EXPECT_EQ(std::get<Busy>(b.Try()).retry_hint, 0ms) << "a key without expiry is no hint";
}

TEST_F(Variants, RedissonPublishesItsReleaseOnTheOriginalsChannel) {
  Client a(1, "redisson", {}, kLongLease);
  Socket subscriber;
  ASSERT_EQ(subscriber.Connect(Node(1).address(), RealMono() + kPatience), "");
  const std::string channel = "redisson_lock__channel:{k}";
  const std::string name = "$" + std::to_string(channel.size()) + "\r\n" + channel + "\r\n";
  std::string received;
  const auto receive_until = [&](const std::string& end) {
    std::array<char, 512> bytes{};
    while (!received.ends_with(end)) {
      const Socket::Received more = subscriber.Receive(bytes, RealMono() + kPatience);
      ASSERT_EQ(more.error, "") << received;
      received.append(bytes.data(), more.bytes);
    }
  };
  ASSERT_EQ(subscriber.SendAll("*2\r\n$9\r\nSUBSCRIBE\r\n" + name, RealMono() + kPatience), "");
  receive_until(":1\r\n");
  received.clear();
  const Grant outer = a.Acquire();
  const Grant inner = a.Acquire();
  ASSERT_EQ(a.Release(inner), ReleaseResult::kReleased) << "tells nobody";
  ASSERT_EQ(a.Release(outer), ReleaseResult::kReleased);
  receive_until("$1\r\n0\r\n");
  EXPECT_EQ(received, "*3\r\n$7\r\nmessage\r\n" + name + "$1\r\n0\r\n");
}

TEST_F(Variants, RedissonWakesAWaiterWhenItIsReleased) {
  Client a(1, "redisson", {}, kLongLease);
  Client b(2, "redisson", {}, kLongLease);
  const Grant grant = a.Acquire();
  Subscription* wake_ups = b.lock().WakeUps(kKey);
  ASSERT_NE(wake_ups, nullptr);
  EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience)) << "subscribed: look once";
  EXPECT_FALSE(wake_ups->Wait(RealMono() + 20ms)) << "still held";
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  EXPECT_TRUE(wake_ups->Wait(RealMono() + kPatience));
  (void)b.Acquire();
}

TEST_F(Variants, OnlyRedissonTellsOfReleases) {
  for (const char* lock : {"none", "setnx-getset", "set-nx-px", "redlock"}) {
    EXPECT_EQ(Client(1, lock).lock().WakeUps(kKey), nullptr) << lock;
  }
}

TEST_F(Variants, RedissonsWatchdogKeepsTheLockBeyondItsLease) {
  constexpr Lease kWatched = 1500ms;
  Client a(1, "redisson", {}, kWatched);
  Client b(2, "redisson", {}, kWatched);
  const Grant grant = a.Acquire();
  while (a.env().Mono() < grant.valid_until + 100ms) {
    ASSERT_TRUE(b.IsBusy());
    a.env().SleepUntil(a.env().Mono() + 20ms);
  }
  EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
  (void)b.Acquire();
}

TEST_F(Variants, RedissonsWatchdogLeavesAGrantThatWasReleased) {
  Client b(2, "redisson", {{"explicit-lease", "true"}});
  {
    Client a(1, "redisson");
    EXPECT_EQ(a.Release(a.Acquire()), ReleaseResult::kReleased);
    // Somebody else's key of a's owner must not be kept alive by a's watchdog.
    const Grant grant = a.Acquire();
    ASSERT_EQ(a.Release(grant), ReleaseResult::kReleased);
    ASSERT_EQ(AskNode(1, {"HSET", "k", grant.owner, "1"}), "1");
    ASSERT_EQ(AskNode(1, {"PEXPIRE", "k", "300"}), "1");
    (void)b.AcquireEventually();
  }
}

// ---- redlock

std::vector<Variant> Askings() {
  return {{"redlock", {{"ask", "in-turn"}}}, {"redlock", {{"ask", "at-once"}}}};
}

TEST_F(Variants, RedlockGivesAMinorityBack) {
  for (const Variant& asking : Askings()) {
    SCOPED_TRACE(NameOf(asking));
    SetUp();
    Client a(1, asking.lock, asking.options, kLongLease);
    for (int node = 1; node <= 3; ++node) ASSERT_EQ(AskNode(node, {"SET", "k", "other"}), "OK");
    EXPECT_TRUE(a.IsBusy());
    for (int node = 1; node <= 3; ++node) EXPECT_EQ(AskNode(node, {"GET", "k"}), "other");
    for (int node = 4; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
    ASSERT_EQ(AskNode(3, {"DEL", "k"}), "1");
    const Grant grant = a.Acquire();
    for (int node = 3; node <= 5; ++node) EXPECT_EQ(AskNode(node, {"GET", "k"}), grant.owner);
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased) << "a majority was ours";
  }
}

TEST_F(Variants, RedlockLivesWithAMinorityOfItsNodesGone) {
  for (const Variant& asking : Askings()) {
    SCOPED_TRACE(NameOf(asking));
    SetUp();
    Values options = asking.options;
    options["node-timeout"] = "300ms";
    Client a(1, asking.lock, options, kLongLease);
    // Once before, so that every node knows the script.
    EXPECT_EQ(a.Release(a.Acquire()), ReleaseResult::kReleased);
    Node(2).Kill();
    Node(5).Stop();
    const Grant grant = a.Acquire();
    EXPECT_TRUE(Client(2, asking.lock, options, kLongLease).IsBusy());
    EXPECT_EQ(a.Release(grant), ReleaseResult::kReleased);
    Node(4).Kill();
    EXPECT_TRUE(a.IsBusy());
    for (const int node : {1, 3}) EXPECT_EQ(AskNode(node, {"EXISTS", "k"}), "0");
    Node(5).Continue();
    Node(2).Start();
    Node(4).Start();
    // What the stopped node was asked meanwhile, it does now, in order: nothing is left there.
    EXPECT_TRUE(Eventually([&] { return AskNode(5, {"EXISTS", "k"}) == "0"; }));
  }
}

TEST_F(Variants, RedlockRefusesAGrantWhoseValidityIsOver) {
  for (const Variant& asking : Askings()) {
    SCOPED_TRACE(NameOf(asking));
    SetUp();
    Values options = asking.options;
    options["node-timeout"] = "1.2 lease";
    Client a(1, asking.lock, options);
    Node(5).Stop();
    EXPECT_TRUE(a.IsBusy()) << "four said yes, but asking took longer than the lease";
    Node(5).Continue();
    (void)a.AcquireEventually();
  }
}

TEST_F(Variants, RedlockOfTwoClientsThatHaveNoMajorityNeitherIsLeftWaiting) {
  Client a(1, "redlock", {}, kLongLease);
  Client b(2, "redlock", {}, kLongLease);
  // Both try at once, again and again; somebody is granted in the end, and never both.
  std::atomic<int> holders = 0;
  const auto compete = [&](Client& client) {
    for (int i = 0; i < 20; ++i) {
      const Grant grant = client.AcquireEventually();
      EXPECT_EQ(holders.fetch_add(1), 0);
      holders.fetch_sub(1);
      EXPECT_EQ(client.Release(grant), ReleaseResult::kReleased);
    }
  };
  std::thread other([&] { compete(b); });
  compete(a);
  other.join();
}

}  // namespace
}  // namespace doublehold
