#include "lib/clients/etcd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include "lib/locks/registry.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::FormatEvents;
using testing::World;
using EtcdKind = EtcdFailure::Kind;
using EtcdLines = std::vector<std::string>;

constexpr Duration kTtl = 3s;
const LockKey kEtcdTestKey{.name = "dh:item/0"};

struct ScriptedEtcdFailure {
  std::string request;
  EtcdKind kind = EtcdKind::kNoReply;
  bool is_executed = false;
};

// The leases and keys that all connections share. Logs the requests. Leases end when a test ends
// them.
struct FakeEtcd {
  std::map<int64_t, bool> leases;  // whether each has not ended
  std::map<std::string, std::pair<EtcdKey, int64_t>> keys;
  std::deque<ScriptedEtcdFailure> failures;
  EtcdLines log;
  std::vector<Deadline> lock_deadlines;
  int64_t revision = 1;
  int watches = 0;

  void End(int64_t lease) {
    leases[lease] = false;
    std::erase_if(keys, [&](const auto& key) { return key.second.second == lease; });
  }
  void EndAll() {
    for (const auto& [lease, is_alive] : std::map(leases)) End(lease);
  }
  [[nodiscard]] size_t Count(const std::string& request) const {
    return static_cast<size_t>(std::ranges::count(log, request));
  }
};

class NoNews final : public Subscription {
  bool Wait(Deadline /*deadline*/) override { return false; }
};

class FakeEtcdConnection final : public EtcdConnection {
 public:
  explicit FakeEtcdConnection(FakeEtcd& etcd) : etcd_(etcd) {}

  EtcdResult<int64_t> GrantLease(Duration ttl, Deadline /*deadline*/) override {
    EXPECT_EQ(ttl, kTtl);
    return Run<int64_t>("grant", [&]() -> EtcdResult<int64_t> {
      const auto lease = static_cast<int64_t>(etcd_.leases.size()) + 0xab0;
      etcd_.leases[lease] = true;
      return lease;
    });
  }
  EtcdResult<void> KeepAlive(int64_t lease, Deadline /*deadline*/) override {
    return Run<void>("keep alive", [&]() -> EtcdResult<void> {
      if (!etcd_.leases[lease]) return Fail(EtcdKind::kNoLease);
      return {};
    });
  }
  EtcdResult<void> Revoke(int64_t lease, Deadline /*deadline*/) override {
    return Run<void>("revoke", [&]() -> EtcdResult<void> {
      if (!etcd_.leases[lease]) return Fail(EtcdKind::kNoLease);
      etcd_.End(lease);
      return {};
    });
  }
  EtcdResult<EtcdQueue> Create(const std::string& key, int64_t lease, const std::string& prefix,
                               Deadline /*deadline*/) override {
    return Run<EtcdQueue>("create", [&]() -> EtcdResult<EtcdQueue> {
      if (!etcd_.leases[lease]) return Fail(EtcdKind::kNoLease);
      if (!etcd_.keys.contains(key)) etcd_.keys[key] = {{key, ++etcd_.revision}, lease};
      return EtcdQueue{.own = etcd_.keys[key].first, .first = *Extreme(prefix, 0, INT64_MAX)};
    });
  }
  EtcdResult<std::optional<EtcdKey>> FindBefore(const std::string& prefix, int64_t revision,
                                                Deadline /*deadline*/) override {
    return Run<std::optional<EtcdKey>>("find before", [&]() -> EtcdResult<std::optional<EtcdKey>> {
      return Extreme(prefix, revision - 1, revision);
    });
  }
  EtcdResult<std::vector<std::string>> Keys(Deadline /*deadline*/) override {
    return Fail(EtcdKind::kRefused);  // locks do not ask for it
  }
  std::unique_ptr<Subscription> WatchDeletion(const EtcdKey& key) override {
    etcd_.log.push_back(fmt::format("watch {}", key.create_revision));
    return std::make_unique<NoNews>();
  }
  EtcdResult<EtcdKey> Lock(const std::string& name, int64_t lease, Deadline deadline) override {
    etcd_.lock_deadlines.push_back(deadline);
    return Run<EtcdKey>("lock", [&]() -> EtcdResult<EtcdKey> {
      const std::string key = fmt::format("{}/{:x}", name, lease);
      etcd_.keys[key] = {{key, ++etcd_.revision}, lease};
      return etcd_.keys[key].first;
    });
  }
  EtcdResult<void> Unlock(const std::string& key, Deadline /*deadline*/) override {
    return Run<void>("unlock", [&]() -> EtcdResult<void> {
      etcd_.keys.erase(key);
      return {};
    });
  }

 private:
  static tl::unexpected<EtcdFailure> Fail(EtcdKind kind) {
    return tl::unexpected(EtcdFailure{.kind = kind});
  }
  template <typename Value, typename Execute>
  EtcdResult<Value> Run(const std::string& request, Execute&& execute) {
    etcd_.log.push_back(request);
    if (etcd_.failures.empty() || etcd_.failures.front().request != request) return execute();
    const ScriptedEtcdFailure failure = etcd_.failures.front();
    etcd_.failures.pop_front();
    if (failure.is_executed) (void)execute();
    return Fail(failure.kind);
  }
  // Returns the key below `limit` whose revision is nearest to `wanted`.
  std::optional<EtcdKey> Extreme(const std::string& prefix, int64_t wanted, int64_t limit) {
    std::optional<EtcdKey> found;
    for (const auto& [name, key] : etcd_.keys) {
      const int64_t revision = key.first.create_revision;
      if (!name.starts_with(prefix) || revision >= limit) continue;
      if (!found || std::abs(wanted - revision) < std::abs(wanted - found->create_revision))
        found = key.first;
    }
    return found;
  }

  FakeEtcd& etcd_;
};

class EtcdLockTest : public ::testing::Test {
 protected:
  EtcdLockTest() {
    world_.dial_etcd = [this] { return std::make_unique<FakeEtcdConnection>(etcd_); };
  }

  std::unique_ptr<Lock> Make(int client, std::string_view flag = "",
                             std::string_view name = "etcd") {
    const LockEntry& entry = *FindLock(name);
    std::map<std::string, std::string> given;
    if (!flag.empty()) given[std::string(flag)] = "true";
    options_.push_back(*CompleteOptions(name, entry.options, given, kTtl));
    return entry.make({.env = env_,
                       .client = client,
                       .seed = 1,
                       .lease = kTtl - 1ms,  // rounded up
                       .call_timeout = kTtl,
                       .options = Options(options_.back())});
  }
  AcquireResult Try(Lock& lock) { return lock.TryAcquire(kEtcdTestKey, kTtl, world_.now + kTtl); }
  // Returns the grant. The test fails if the lock is not granted.
  Grant Acquire(Lock& lock) {
    const AcquireResult result = Try(lock);
    const auto* granted = std::get_if<Granted>(&result);
    if (granted != nullptr) return granted->grant;
    ADD_FAILURE() << "not granted";
    return {};
  }
  bool IsBusy(Lock& lock) { return std::holds_alternative<Busy>(Try(lock)); }
  // Returns the grant of an acquire of unknown outcome.
  Grant TryInVain(Lock& lock) {
    const AcquireResult result = Try(lock);
    const auto* unknown = std::get_if<Unknown>(&result);
    if (unknown != nullptr) return unknown->perhaps;
    ADD_FAILURE() << "not unknown";
    return {};
  }
  ReleaseResult Release(Lock& lock, const Grant& grant) { return lock.Release(grant, world_.now); }

  World world_;
  FakeEnv env_{world_};
  FakeEtcd etcd_;
  std::deque<std::map<std::string, std::string>> options_;
};

TEST_F(EtcdLockTest, GrantsInTheOrderOfArrivalWithIncreasingTokens) {
  const auto a = Make(1);
  const auto b = Make(2);
  const auto c = Make(3);
  const Grant first = Acquire(*a);
  EXPECT_EQ(first.owner, "dh:item|0/ab0");
  EXPECT_EQ(first.valid_until, world_.now + kTtl);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_TRUE(IsBusy(*c));
  EXPECT_EQ(Release(*a, first), ReleaseResult::kReleased);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kNotOwner);
  EXPECT_TRUE(IsBusy(*c));
  const Grant second = Acquire(*b);
  EXPECT_GT(second.token, first.token);
  EXPECT_EQ(etcd_.keys.size(), 2u);  // each client has one key, however often it tries
}

TEST_F(EtcdLockTest, AWaiterWatchesTheKeyJustBeforeItsOwn) {
  const auto a = Make(1);
  const auto b = Make(2);
  const auto c = Make(3);
  const Grant first = Acquire(*a);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_TRUE(IsBusy(*c));
  EXPECT_TRUE(IsBusy(*c));
  EXPECT_NE(c->WakeUps(kEtcdTestKey), nullptr);
  EXPECT_EQ(etcd_.Count(fmt::format("watch {}", first.token)), 1u);
  EXPECT_EQ(etcd_.Count(fmt::format("watch {}", first.token + 1)), 1u);
  EXPECT_EQ(b->GiveUp(kEtcdTestKey, world_.now), ReleaseResult::kNotOwner);
  EXPECT_TRUE(IsBusy(*c));
  EXPECT_EQ(etcd_.Count(fmt::format("watch {}", first.token)), 2u);
}

TEST_F(EtcdLockTest, AWaiterKeepsItsLeaseAliveEveryThirdOfItsTime) {
  const auto a = Make(1);
  const auto b = Make(2);
  const Grant first = Acquire(*a);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(IsBusy(*b));
    world_.Advance(kTtl / 6);
  }
  EXPECT_EQ(etcd_.Count("keep alive"), 1u);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kReleased);
  EXPECT_EQ(Acquire(*b).valid_until, world_.now + kTtl);
}

TEST_F(EtcdLockTest, AWaiterWhoseLeaseHasEndedQueuesAgain) {
  const auto a = Make(1);
  const auto b = Make(2);
  const Grant first = Acquire(*a);
  EXPECT_TRUE(IsBusy(*b));
  etcd_.End(0xab1);
  EXPECT_TRUE(IsBusy(*b));  // finds out
  EXPECT_EQ(b->WakeUps(kEtcdTestKey), nullptr);
  EXPECT_TRUE(IsBusy(*b));
  etcd_.End(0xab2);
  world_.Advance(kTtl / 3);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_EQ(etcd_.Count("grant"), 4u);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kReleased);
  EXPECT_EQ(Acquire(*b).owner, "dh:item|0/ab3");
}

TEST_F(EtcdLockTest, AFailureBeforeTheCreateIsNoAcquireOfUnknownOutcome) {
  for (const char* request : {"grant", "keep alive", "find before"}) {
    SCOPED_TRACE(request);
    etcd_ = {};
    const auto a = Make(1);
    const auto b = Make(2);
    (void)Acquire(*a);
    if (request != std::string_view("grant")) {
      EXPECT_TRUE(IsBusy(*b));
    }
    world_.Advance(kTtl / 2);
    etcd_.failures = {{request, EtcdKind::kNoReply, true}};
    EXPECT_TRUE(IsBusy(*b));
    EXPECT_TRUE(etcd_.failures.empty());
    EXPECT_TRUE(IsBusy(*b));
  }
}

TEST_F(EtcdLockTest, AfterALostReplyTheNextTryFindsTheOwnKey) {
  for (const bool is_executed : {true, false}) {
    etcd_ = {};
    etcd_.failures = {{"create", EtcdKind::kNoReply, is_executed}};
    const auto lock = Make(1);
    const Grant perhaps = TryInVain(*lock);
    EXPECT_EQ(Acquire(*lock).owner, perhaps.owner);
    EXPECT_EQ(etcd_.keys.size(), 1u);
  }
}

TEST_F(EtcdLockTest, ReleasingAnUnknownAcquireLeavesTheQueueForGood) {
  etcd_.failures = {{"create", EtcdKind::kNoReply, true}};
  const auto lock = Make(1);
  const Grant perhaps = TryInVain(*lock);
  EXPECT_EQ(Release(*lock, perhaps), ReleaseResult::kReleased);
  EXPECT_TRUE(etcd_.keys.empty());
  EXPECT_FALSE(etcd_.leases[0xab0]);  // so a late create is refused
  EXPECT_NE(Acquire(*lock).owner, perhaps.owner);
}

TEST_F(EtcdLockTest, ARevokeWithoutAReplyLeavesTheReleaseUnknown) {
  const auto lock = Make(1);
  const Grant grant = Acquire(*lock);
  etcd_.failures = {{"revoke", EtcdKind::kNoReply, true}};
  EXPECT_EQ(Release(*lock, grant), ReleaseResult::kUnknown);
  EXPECT_NE(Acquire(*lock).owner, grant.owner);
}

TEST_F(EtcdLockTest, GivingUpLeavesTheQueue) {
  const auto a = Make(1);
  const auto b = Make(2);
  (void)Acquire(*a);
  EXPECT_EQ(b->GiveUp(kEtcdTestKey, world_.now), ReleaseResult::kNotOwner);
  EXPECT_EQ(etcd_.Count("revoke"), 0u);
  EXPECT_TRUE(IsBusy(*b));
  etcd_.failures = {{"revoke", EtcdKind::kNoReply, true}};
  EXPECT_EQ(b->GiveUp(kEtcdTestKey, world_.now), ReleaseResult::kUnknown);
  EXPECT_EQ(etcd_.keys.size(), 1u);
}

TEST_F(EtcdLockTest, TheWatchdogExtendsUntilTheLeaseHasEnded) {
  const auto lock = Make(1);
  const Grant grant = Acquire(*lock);
  etcd_.failures = {{"keep alive", EtcdKind::kNoReply, false}};
  world_.At(2100ms, [&] { etcd_.EndAll(); });
  world_.RunTask(10s);
  EXPECT_EQ(FormatEvents(world_.events),
            (EtcdLines{"1000 invoke extend", "1000 info extend", "1300 invoke extend",
                       "1300 ok extend", "2300 invoke extend", "2300 fail extend"}));
  EXPECT_EQ(world_.events[3].value[0], env_.SinceStartNs(testing::kStartOfWorld + 1300ms + kTtl));
  EXPECT_EQ(Release(*lock, grant), ReleaseResult::kNotOwner);
}

TEST_F(EtcdLockTest, WithoutKeepAlivesEachLeaseEndsAtItsTime) {
  const auto a = Make(1, "no-keepalive");
  const auto b = Make(2, "no-keepalive");
  const Grant first = Acquire(*a);
  const MonoTime queued = world_.now;
  EXPECT_TRUE(IsBusy(*b));
  world_.Advance(kTtl - 1ms);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kReleased);
  EXPECT_EQ(Acquire(*b).valid_until, queued + kTtl);
  EXPECT_TRUE(world_.spawned.empty());
  EXPECT_FALSE(a->ExtendsByItself());
  EXPECT_EQ(etcd_.Count("keep alive"), 0u);

  EXPECT_TRUE(IsBusy(*a));
  world_.Advance(kTtl);
  EXPECT_TRUE(IsBusy(*a));
  EXPECT_EQ(etcd_.Count("grant"), 4u);
}

TEST_F(EtcdLockTest, TrustingADeadLeaseTheHolderHasNoEnd) {
  const auto lock = Make(1, "trusts-dead-lease");
  const Grant grant = Acquire(*lock);
  EXPECT_EQ(grant.valid_until, MonoTime::max());
  const ExtendResult extended = lock->Extend(grant, kTtl, world_.now);
  ASSERT_TRUE(std::holds_alternative<Extended>(extended));
  EXPECT_EQ(std::get<Extended>(extended).valid_until, MonoTime::max());
}

// The lock of the server. What a Lock call gives, and what its release does then.
struct ApiCase {
  const char* name;
  std::deque<ScriptedEtcdFailure> failures;
  const char* outcome;
  const char* released;  // the request that releases, or "" if nothing is to be released
};

TEST_F(EtcdLockTest, OfTheApiIsUnknownUnlessTheServerAnswers) {
  for (const ApiCase& each :
       {ApiCase{"granted", {}, "granted", "unlock"},
        ApiCase{"no reply", {{"lock", EtcdKind::kNoReply, true}}, "unknown", "revoke"},
        ApiCase{"not sent", {{"lock", EtcdKind::kNotSent, false}}, "busy", ""},
        ApiCase{"no lease", {{"lock", EtcdKind::kNoLease, false}}, "busy", ""},
        ApiCase{"no grant", {{"grant", EtcdKind::kNoReply, true}}, "busy", ""}}) {
    SCOPED_TRACE(each.name);
    etcd_ = {};
    etcd_.failures = each.failures;
    const auto lock = Make(1, "", "etcd-lock-api");
    const AcquireResult result = Try(*lock);
    constexpr std::array kOutcomes{"granted", "busy", "unknown"};
    ASSERT_STREQ(kOutcomes.at(result.index()), each.outcome);
    if (const auto* unknown = std::get_if<Unknown>(&result)) {
      EXPECT_EQ(Release(*lock, unknown->perhaps), ReleaseResult::kReleased);
    } else if (const auto* granted = std::get_if<Granted>(&result)) {
      EXPECT_EQ(granted->grant.valid_until, world_.now + kTtl);
      EXPECT_EQ(granted->grant.token, etcd_.revision);
      EXPECT_EQ(Release(*lock, granted->grant), ReleaseResult::kReleased);
    }
    EXPECT_TRUE(etcd_.keys.empty());
    if (*each.released != '\0') {
      EXPECT_EQ(etcd_.log.back(), each.released);
    }
  }
}

TEST_F(EtcdLockTest, OfTheApiWaitsAtMostAThirdOfItsLease) {
  const auto lock = Make(1, "", "etcd-lock-api");
  (void)Acquire(*lock);
  EXPECT_EQ(etcd_.lock_deadlines, std::vector{world_.now + kTtl / 3});
}

}  // namespace
}  // namespace doublehold
