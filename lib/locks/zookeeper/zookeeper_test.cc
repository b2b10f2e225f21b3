#include "lib/clients/zookeeper.h"

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
using ZooTestKind = ZooFailure::Kind;
using ZooLines = std::vector<std::string>;

constexpr Duration kZooTimeout = 300ms;
const LockKey kZooKey{.name = "dh:item/0"};
const LockKey kZooKeyToRead{.name = "dh:item/0", .shared = true};
const std::string kZooQueue = "/doublehold/dh:item|0";

// A request that fails, and whether it is executed nevertheless.
struct ScriptedFailure {
  std::string request;
  ZooTestKind kind = ZooTestKind::kNoReply;
  bool is_executed = false;
};

// The nodes that all sessions share. Logs the requests.
struct FakeZooKeeper {
  std::map<std::string, ZooNode> nodes;
  std::deque<ScriptedFailure> failures;
  std::map<std::string, std::function<void()>> before;  // by request; called once
  ZooLines log;
  ZooLines watched;  // the numbers of watched nodes
  int64_t transactions = 0;
  int number = 0;
  int opened = 0;

  [[nodiscard]] ZooLines Queue() const {
    ZooLines names;
    for (const auto& [path, node] : nodes) {
      if (path.starts_with(kZooQueue + "/")) names.push_back(path);
    }
    return names;
  }
  [[nodiscard]] size_t Count(const std::string& request) const {
    return static_cast<size_t>(std::ranges::count(log, request));
  }
};

class FakeSession final : public ZooKeeperSession, private Subscription {
 public:
  explicit FakeSession(FakeZooKeeper& zookeeper) : zookeeper_(zookeeper) {}

  ZooResult<ZooNode> Create(std::string_view path, std::string_view /*data*/, ZooCreate how,
                            Deadline /*deadline*/) override {
    const bool is_queued = how == ZooCreate::kEphemeralSequential;
    return Run<ZooNode>(is_queued ? "create" : "create parent", [&]() -> ZooResult<ZooNode> {
      std::string name(path);
      const std::string parent = name.substr(0, name.rfind('/'));
      if (!parent.empty() && !zookeeper_.nodes.contains(parent)) return Fail(ZooTestKind::kNoNode);
      const std::string digits = std::to_string(zookeeper_.number);
      if (is_queued) name += std::string(10 - digits.size(), '0') + digits;
      if (zookeeper_.nodes.contains(name)) return Fail(ZooTestKind::kNodeExists);
      if (is_queued) ++zookeeper_.number;
      return zookeeper_.nodes[name] = {.path = name, .czxid = ++zookeeper_.transactions};
    });
  }
  ZooResult<ZooLines> Children(std::string_view path, Deadline /*deadline*/) override {
    return List("children", path);
  }
  ZooResult<ZooNode> Find(std::string_view path, Deadline /*deadline*/) override {
    return Get("find", path);
  }
  ZooResult<ZooNode> Watch(std::string_view path, Deadline /*deadline*/) override {
    zookeeper_.watched.emplace_back(path.substr(path.size() - 10));
    return Get("watch", path);
  }
  ZooResult<ZooLines> WatchChildren(std::string_view path, Deadline /*deadline*/) override {
    return List("watch children", path);
  }
  ZooResult<void> Delete(std::string_view path, Deadline /*deadline*/) override {
    return Run<void>("delete", [&]() -> ZooResult<void> {
      if (zookeeper_.nodes.erase(std::string(path)) == 0) return Fail(ZooTestKind::kNoNode);
      return {};
    });
  }
  Subscription& News() override { return *this; }

 private:
  static tl::unexpected<ZooFailure> Fail(ZooTestKind kind) {
    return tl::unexpected(ZooFailure{.kind = kind});
  }
  bool Wait(Deadline /*deadline*/) override { return false; }

  template <typename Value, typename Execute>
  ZooResult<Value> Run(const std::string& request, Execute&& execute) {
    zookeeper_.log.push_back(request);
    if (auto hook = zookeeper_.before.extract(request); !hook.empty()) hook.mapped()();
    if (zookeeper_.failures.empty() || zookeeper_.failures.front().request != request)
      return execute();
    const ScriptedFailure failure = zookeeper_.failures.front();
    zookeeper_.failures.pop_front();
    if (failure.is_executed) (void)execute();
    return Fail(failure.kind);
  }
  ZooResult<ZooLines> List(const std::string& request, std::string_view path) {
    return Run<ZooLines>(request, [&]() -> ZooResult<ZooLines> {
      if (!zookeeper_.nodes.contains(std::string(path))) return Fail(ZooTestKind::kNoNode);
      ZooLines names;
      for (const std::string& node : zookeeper_.Queue())
        names.push_back(node.substr(path.size() + 1));
      return names;
    });
  }
  ZooResult<ZooNode> Get(const std::string& request, std::string_view path) {
    return Run<ZooNode>(request, [&]() -> ZooResult<ZooNode> {
      const auto found = zookeeper_.nodes.find(std::string(path));
      if (found == zookeeper_.nodes.end()) return Fail(ZooTestKind::kNoNode);
      return found->second;
    });
  }

  FakeZooKeeper& zookeeper_;
};

class ZooKeeperLockTest : public ::testing::Test {
 protected:
  ZooKeeperLockTest() {
    world_.open_session = [this](Duration timeout) {
      EXPECT_EQ(timeout, kZooTimeout);
      ++zookeeper_.opened;
      return std::make_unique<FakeSession>(zookeeper_);
    };
  }

  std::unique_ptr<Lock> Make(int client, std::string_view flag = "",
                             std::string_view name = "zookeeper") {
    const LockEntry& entry = *FindLock(name);
    std::map<std::string, std::string> given;
    if (!flag.empty()) given[std::string(flag)] = "true";
    options_.push_back(*CompleteOptions(name, entry.options, given, kZooTimeout));
    return entry.make({.env = env_,
                       .client = client,
                       .seed = 1,
                       .lease = kZooTimeout,
                       .call_timeout = kZooTimeout,
                       .options = Options(options_.back())});
  }
  std::unique_ptr<Lock> MakeReadWrite(int client) {
    return Make(client, "", "zookeeper-read-write");
  }
  AcquireResult Try(Lock& lock, const LockKey& key = kZooKey) {
    return lock.TryAcquire(key, kZooTimeout, world_.now + kZooTimeout);
  }
  // Returns the grant. The test fails if the lock is not granted.
  Grant Acquire(Lock& lock, const LockKey& key = kZooKey) {
    const AcquireResult result = Try(lock, key);
    const auto* granted = std::get_if<Granted>(&result);
    if (granted != nullptr) return granted->grant;
    ADD_FAILURE() << "not granted";
    return {};
  }
  bool IsBusy(Lock& lock) { return std::holds_alternative<Busy>(Try(lock)); }
  ReleaseResult Release(Lock& lock, const Grant& grant) {
    return lock.Release(grant, world_.now + kZooTimeout);
  }

  World world_;
  FakeEnv env_{world_};
  FakeZooKeeper zookeeper_;
  std::deque<std::map<std::string, std::string>> options_;
};

TEST_F(ZooKeeperLockTest, GrantsInTheOrderOfArrivalWithIncreasingTokens) {
  const auto a = Make(1);
  const auto b = Make(2);
  const auto c = Make(3);
  const Grant first = Acquire(*a);
  EXPECT_EQ(first.valid_until, world_.now + kZooTimeout);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_TRUE(IsBusy(*c));
  EXPECT_EQ(zookeeper_.Queue().size(), 3u);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kReleased);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kNotOwner);
  EXPECT_TRUE(IsBusy(*c));
  const Grant second = Acquire(*b);
  EXPECT_GT(second.token, first.token);
  EXPECT_EQ(zookeeper_.Queue().size(), 2u);  // each client has one node, however often it tries
}

TEST_F(ZooKeeperLockTest, AWaiterWatchesTheNodeBeforeItsOwnOnly) {
  const auto a = Make(1);
  const auto b = Make(2);
  (void)Acquire(*a);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_NE(b->WakeUps(kZooKey), nullptr);
  const auto c = Make(3);
  EXPECT_TRUE(IsBusy(*c));
  EXPECT_EQ(zookeeper_.watched, (ZooLines{"0000000000", "0000000001"}));
  EXPECT_EQ(zookeeper_.Count("watch children"), 0u);
  const auto d = Make(4, "watches-all");
  EXPECT_TRUE(IsBusy(*d));
  EXPECT_EQ(zookeeper_.watched.size(), 2u);
  EXPECT_EQ(zookeeper_.Count("watch children"), 1u);
}

TEST_F(ZooKeeperLockTest, IsGrantedWhenTheNodeBeforeGoesBeforeTheWatch) {
  const auto a = Make(1);
  const auto b = Make(2);
  const Grant first = Acquire(*a);
  zookeeper_.before["watch"] = [&] { zookeeper_.nodes.erase(first.owner); };
  EXPECT_NE(Acquire(*b).token, first.token);
}

// A lost reply to the create, and what the next try finds.
struct LostCreate {
  const char* flag;
  bool is_executed;
  bool is_granted;  // by the next try
  size_t nodes;     // in the queue after it
};

TEST_F(ZooKeeperLockTest, AfterALostReplyTheGuidFindsTheOwnNode) {
  for (const LostCreate& each :
       {LostCreate{"", true, true, 1}, LostCreate{"", false, true, 1},
        LostCreate{"no-guid", true, false, 2}, LostCreate{"no-guid", false, true, 1}}) {
    SCOPED_TRACE(fmt::format("{} {}", each.flag, each.is_executed));
    zookeeper_ = {};
    zookeeper_.nodes = {{"/doublehold", {}}, {kZooQueue, {}}};
    zookeeper_.failures = {{"create", ZooTestKind::kNoReply, each.is_executed}};
    const auto lock = Make(1, each.flag);
    EXPECT_TRUE(std::holds_alternative<Unknown>(Try(*lock)));
    EXPECT_EQ(std::holds_alternative<Granted>(Try(*lock)), each.is_granted);
    EXPECT_EQ(zookeeper_.Queue().size(), each.nodes);
  }
}

TEST_F(ZooKeeperLockTest, ReleasingAnUnknownAcquireTakesTheNodeOutOfTheQueue) {
  for (const std::string_view flag : {"", "no-guid"}) {
    SCOPED_TRACE(flag);
    zookeeper_ = {};
    zookeeper_.nodes = {{"/doublehold", {}}, {kZooQueue, {}}};
    zookeeper_.failures = {{"create", ZooTestKind::kNoReply, true}};
    const auto lock = Make(1, flag);
    const AcquireResult result = Try(*lock);
    ASSERT_TRUE(std::holds_alternative<Unknown>(result));
    EXPECT_EQ(Release(*lock, std::get<Unknown>(result).perhaps),
              flag.empty() ? ReleaseResult::kReleased : ReleaseResult::kUnknown);
    EXPECT_EQ(zookeeper_.Queue().size(), flag.empty() ? 0u : 1u);
  }
}

// Without a reply to the search, the place is kept: the next try takes the node over.
TEST_F(ZooKeeperLockTest, AReleaseWithoutAReplyLeavesTheNodeToTheNextTry) {
  zookeeper_.nodes = {{"/doublehold", {}}, {kZooQueue, {}}};
  zookeeper_.failures = {{"create", ZooTestKind::kNoReply, true},
                         {"children", ZooTestKind::kNoReply, false}};
  const auto lock = Make(1);
  const AcquireResult result = Try(*lock);
  ASSERT_TRUE(std::holds_alternative<Unknown>(result));
  const Grant perhaps = std::get<Unknown>(result).perhaps;
  EXPECT_EQ(Release(*lock, perhaps), ReleaseResult::kUnknown);
  EXPECT_NE(Acquire(*lock).hold, perhaps.hold);
  EXPECT_EQ(zookeeper_.Count("create"), 1u);
}

TEST_F(ZooKeeperLockTest, ALostParentIsNoAcquireOfUnknownOutcome) {
  zookeeper_.failures = {{"create parent", ZooTestKind::kNoReply, true}};
  const auto lock = Make(1);
  EXPECT_TRUE(IsBusy(*lock));
  (void)Acquire(*lock);
}

TEST_F(ZooKeeperLockTest, ASessionThatEndsWhileQueuedIsReplaced) {
  const auto a = Make(1);
  const auto b = Make(2);
  const Grant first = Acquire(*a);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_EQ(zookeeper_.opened, 2);
  zookeeper_.failures = {{"children", ZooTestKind::kSessionEnded, false}};
  zookeeper_.nodes.erase(zookeeper_.Queue().back());
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_EQ(b->WakeUps(kZooKey), nullptr);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_EQ(zookeeper_.opened, 3);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kReleased);
  (void)Acquire(*b);
}

TEST_F(ZooKeeperLockTest, GivingUpLeavesTheQueueAtOnceOrBeforeTheNextTry) {
  const auto a = Make(1);
  const auto b = Make(2);
  const Grant first = Acquire(*a);
  EXPECT_TRUE(IsBusy(*b));
  EXPECT_EQ(b->GiveUp(kZooKey, world_.now), ReleaseResult::kNotOwner);
  EXPECT_EQ(zookeeper_.Queue().size(), 1u);

  EXPECT_TRUE(IsBusy(*b));
  zookeeper_.failures = {{"delete", ZooTestKind::kNoReply, false}};
  EXPECT_EQ(b->GiveUp(kZooKey, world_.now), ReleaseResult::kUnknown);
  EXPECT_EQ(zookeeper_.Queue().size(), 2u);
  EXPECT_EQ(Release(*a, first), ReleaseResult::kReleased);
  (void)Acquire(*b);
  EXPECT_EQ(zookeeper_.Queue().size(), 1u);
}

TEST_F(ZooKeeperLockTest, TheWatchdogExtendsUntilTheNodeIsGone) {
  const auto lock = Make(1);
  const Grant grant = Acquire(*lock);
  zookeeper_.failures = {{"find", ZooTestKind::kNoReply, false}};
  world_.At(210ms, [&] { zookeeper_.nodes.erase(grant.owner); });
  world_.RunTask(1s);
  EXPECT_EQ(FormatEvents(world_.events),
            (ZooLines{"100 invoke extend", "100 info extend", "130 invoke extend", "130 ok extend",
                      "230 invoke extend", "230 fail extend"}));
}

TEST_F(ZooKeeperLockTest, TheEndOfTheSessionLosesTheLock) {
  const auto lock = Make(1);
  const Grant grant = Acquire(*lock);
  zookeeper_.failures = {{"find", ZooTestKind::kSessionEnded, false},
                         {"delete", ZooTestKind::kSessionEnded, false}};
  EXPECT_TRUE(std::holds_alternative<Lost>(lock->Extend(grant, kZooTimeout, world_.now)));
  EXPECT_EQ(Release(*lock, grant), ReleaseResult::kNotOwner);
  EXPECT_EQ(zookeeper_.opened, 1);
  zookeeper_.nodes.erase(grant.owner);
  (void)Acquire(*lock);
  EXPECT_EQ(zookeeper_.opened, 2);
}

TEST_F(ZooKeeperLockTest, IgnoringTheSessionTheHolderHasNoEndAndNoWatchdog) {
  const auto lock = Make(1, "ignores-session");
  EXPECT_EQ(Acquire(*lock).valid_until, MonoTime::max());
  EXPECT_TRUE(world_.spawned.empty());
  EXPECT_FALSE(lock->ExtendsByItself());
}

// ---- zookeeper-read-write

// Readers (r) and writers (w) that arrive one after the other. Those that are not granted (-) watch
// a node, whose number is given by its last digit.
struct Arrivals {
  const char* modes;
  const char* granted;
  const char* watched;
};

TEST_F(ZooKeeperLockTest, AReaderWaitsForTheLastWriterAndAWriterForTheNodeBefore) {
  for (const Arrivals& each :
       {Arrivals{"rr", "++", ""}, Arrivals{"ww", "+-", "0"}, Arrivals{"rw", "+-", "0"},
        Arrivals{"rrw", "++-", "1"}, Arrivals{"wrr", "+--", "00"}, Arrivals{"rwr", "+--", "01"},
        Arrivals{"wrwrr", "+----", "0122"}, Arrivals{"wrrw", "+---", "002"}}) {
    SCOPED_TRACE(each.modes);
    zookeeper_ = {};
    std::vector<std::unique_ptr<Lock>> locks;
    std::string granted;
    for (const char mode : std::string_view(each.modes)) {
      locks.push_back(MakeReadWrite(static_cast<int>(locks.size()) + 1));
      const AcquireResult result = Try(*locks.back(), mode == 'r' ? kZooKeyToRead : kZooKey);
      granted += std::holds_alternative<Granted>(result) ? '+' : '-';
    }
    EXPECT_EQ(granted, each.granted);
    std::string watched;
    for (const std::string& number : zookeeper_.watched) watched += number.back();
    EXPECT_EQ(watched, each.watched);
  }
}

TEST_F(ZooKeeperLockTest, OnlyWritersHaveTokens) {
  const auto a = MakeReadWrite(1);
  const auto b = MakeReadWrite(2);
  const Grant read = Acquire(*a, kZooKeyToRead);
  EXPECT_TRUE(read.shared);
  EXPECT_EQ(read.token, 0);
  EXPECT_EQ(Release(*a, read), ReleaseResult::kReleased);
  const Grant write = Acquire(*b);
  EXPECT_FALSE(write.shared);
  EXPECT_GT(write.token, 0);
}

// Otherwise the client would wait for itself. The flag `watches-all` changes no result.
TEST_F(ZooKeeperLockTest, ALeftoverReadersNodeIsDeletedBeforeItsClientWrites) {
  for (const std::string_view flag : {"", "watches-all"}) {
    SCOPED_TRACE(flag);
    zookeeper_ = {};
    zookeeper_.nodes = {{"/doublehold", {}}, {kZooQueue, {}}};
    zookeeper_.failures = {{"create", ZooTestKind::kNoReply, true},
                           {"children", ZooTestKind::kNoReply, false}};
    const auto lock = Make(1, flag, "zookeeper-read-write");
    const AcquireResult result = Try(*lock, kZooKeyToRead);
    ASSERT_TRUE(std::holds_alternative<Unknown>(result));
    const Grant perhaps = std::get<Unknown>(result).perhaps;
    EXPECT_TRUE(perhaps.shared);
    EXPECT_EQ(Release(*lock, perhaps), ReleaseResult::kUnknown);
    zookeeper_.failures = {{"delete", ZooTestKind::kNoReply, false}};
    EXPECT_TRUE(IsBusy(*lock));
    EXPECT_FALSE(Acquire(*lock).shared);
    EXPECT_EQ(zookeeper_.Queue().size(), 1u);
  }
}

TEST_F(ZooKeeperLockTest, TheExclusiveLockIgnoresThatAKeyIsShared) {
  const auto a = Make(1);
  const auto b = Make(2);
  EXPECT_FALSE(Acquire(*a, kZooKeyToRead).shared);
  EXPECT_FALSE(std::holds_alternative<Granted>(Try(*b, kZooKeyToRead)));
}

}  // namespace
}  // namespace doublehold
