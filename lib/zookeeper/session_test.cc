#include "lib/zookeeper/session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "lib/os/spawn.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/servers.h"
#include "lib/testing/zookeeper_server.h"

namespace doublehold {
namespace {

using testing::Eventually;
using testing::kPatience;
using testing::WhyNoZooKeeper;
using testing::ZooKeeperServer;
using std::chrono_literals::operator""min;

constexpr Duration kLongSession = 2min;  // longer than kPatience
constexpr Duration kMediumSession = 6s;
constexpr Duration kShortSession = 1s;
constexpr Duration kShortCall = 200ms;

Deadline Patiently() { return RealMono() + kPatience; }

// Returns the name of a result: "ok", or the kind of its failure.
template <typename Value>
std::string Outcome(const ZooResult<Value>& result) {
  if (result) return "ok";
  constexpr std::array kNames{"no node",  "node exists", "session ended",
                              "not sent", "no reply",    "refused"};
  return kNames.at(static_cast<size_t>(result.error().kind));
}

// The tests share a server, since its JVM starts slowly. Each works in a node of its own.
class ZooKeeperSessionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (WhyNoZooKeeper().empty()) server_ = std::make_unique<ZooKeeperServer>();
  }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    if (const std::string why = WhyNoZooKeeper(); !why.empty()) GTEST_SKIP() << why;
    if (server_->pid() < 0) server_->Start();
    // A session has threads from its first request on. A test that forks needs one without.
    ASSERT_EQ(Outcome(Open()->Create(own_, "", ZooCreate::kPersistent, Patiently())), "ok");
    session_ = Open();
  }

  std::unique_ptr<ZooKeeperSession> Open(Duration timeout = kLongSession) {
    return OpenZooKeeper({server_->address()}, timeout);
  }
  ZooNode CreateSequential(ZooKeeperSession& session) {
    ZooResult<ZooNode> node =
        session.Create(own_ + "/n-", "", ZooCreate::kEphemeralSequential, Patiently());
    EXPECT_EQ(Outcome(node), "ok");
    return node.value_or(ZooNode{});
  }
  bool Exists(const std::string& path) { return session_->Find(path, Patiently()).has_value(); }

  static inline std::unique_ptr<ZooKeeperServer> server_;
  const std::string own_ =
      std::string("/") + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::unique_ptr<ZooKeeperSession> session_;
};

TEST_F(ZooKeeperSessionTest, CreatesFindsListsAndDeletesNodes) {
  const auto create = [&](const std::string& path) {
    return session_->Create(path, "data", ZooCreate::kPersistent, Patiently());
  };
  const ZooResult<ZooNode> parent = create(own_ + "/a");
  EXPECT_EQ(parent->path, own_ + "/a");
  EXPECT_EQ(create(own_ + "/a/1")->path, own_ + "/a/1");
  EXPECT_EQ(create(own_ + "/a/2")->path, own_ + "/a/2");
  EXPECT_EQ(Outcome(create(own_ + "/a")), "node exists");
  EXPECT_EQ(Outcome(create(own_ + "/b/1")), "no node");
  EXPECT_EQ(Outcome(create("not a path")), "refused");

  EXPECT_EQ(session_->Find(own_ + "/a", Patiently())->czxid, parent->czxid);
  EXPECT_EQ(Outcome(session_->Find(own_ + "/b", Patiently())), "no node");
  std::vector<std::string> children = *session_->Children(own_ + "/a", Patiently());
  std::ranges::sort(children);
  EXPECT_EQ(children, (std::vector<std::string>{"1", "2"}));

  EXPECT_EQ(Outcome(session_->Delete(own_ + "/a", Patiently())), "refused");  // it has children
  EXPECT_EQ(Outcome(session_->Delete(own_ + "/a/1", Patiently())), "ok");
  EXPECT_EQ(Outcome(session_->Delete(own_ + "/a/1", Patiently())), "no node");
}

TEST_F(ZooKeeperSessionTest, NumbersAndTransactionsOfSequentialNodesIncrease) {
  const auto other = Open();
  const ZooNode first = CreateSequential(*session_);
  const ZooNode second = CreateSequential(*other);
  EXPECT_EQ(first.path, own_ + "/n-0000000000");
  EXPECT_EQ(second.path, own_ + "/n-0000000001");
  EXPECT_GT(first.czxid, 0);
  EXPECT_LT(first.czxid, second.czxid);
}

TEST_F(ZooKeeperSessionTest, AWatchGivesNewsOnceWhenTheNodeGoes) {
  const auto other = Open();
  const ZooNode node = CreateSequential(*other);
  EXPECT_EQ(session_->Watch(node.path, Patiently())->czxid, node.czxid);
  EXPECT_FALSE(session_->News().Wait(RealMono()));
  EXPECT_EQ(Outcome(other->Delete(node.path, Patiently())), "ok");
  EXPECT_TRUE(session_->News().Wait(Patiently()));
  EXPECT_FALSE(session_->News().Wait(RealMono()));
  EXPECT_EQ(Outcome(session_->Watch(node.path, Patiently())), "no node");
}

TEST_F(ZooKeeperSessionTest, AWatchOfChildrenGivesNewsWhenAChildComes) {
  const auto other = Open();
  EXPECT_EQ(Outcome(session_->WatchChildren(own_, Patiently())), "ok");
  EXPECT_FALSE(session_->News().Wait(RealMono()));
  CreateSequential(*other);
  EXPECT_TRUE(session_->News().Wait(Patiently()));
}

TEST_F(ZooKeeperSessionTest, AClosedSessionLeavesNoEphemeralNode) {
  auto other = Open();
  const ZooNode node = CreateSequential(*other);
  EXPECT_TRUE(Exists(node.path));
  other.reset();
  EXPECT_TRUE(Eventually([&] { return !Exists(node.path); }));
}

TEST_F(ZooKeeperSessionTest, SeveralThreadsShareASession) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { EXPECT_TRUE(Exists(CreateSequential(*session_).path)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CreateSequential(*session_).path, own_ + "/n-0000000004");
}

TEST_F(ZooKeeperSessionTest, ARequestIsNotSentWithoutAServer) {
  server_->Kill();
  EXPECT_EQ(Outcome(Open()->Find("/", RealMono() + kShortCall)), "not sent");
}

TEST_F(ZooKeeperSessionTest, ARequestToAStoppedServerEndsAtItsDeadlineAndALaterOneSucceeds) {
  const ZooNode node = CreateSequential(*session_);
  server_->Stop();
  const auto create = [&] {
    return session_->Create(own_ + "/late", "", ZooCreate::kPersistent, RealMono() + kShortCall);
  };
  EXPECT_EQ(Outcome(create()), "no reply");
  server_->Continue();
  EXPECT_TRUE(Exists(node.path));
  // The request without a reply was sent before, so it has been executed.
  EXPECT_EQ(Outcome(session_->Find(own_ + "/late", Patiently())), "ok");
}

// The replies of the requests and the events of the session come after their owners are gone.
TEST_F(ZooKeeperSessionTest, ASessionOfAStoppedServerIsDestroyedWithItsRequests) {
  auto watched = Open();
  const ZooNode node = CreateSequential(*session_);
  EXPECT_EQ(Outcome(watched->Watch(node.path, Patiently())), "ok");
  auto never_connected = Open();
  server_->Stop();
  EXPECT_EQ(Outcome(watched->Find("/", RealMono() + kShortCall)), "no reply");
  EXPECT_EQ(Outcome(never_connected->Find("/", RealMono() + kShortCall)), "not sent");
  watched.reset();
  never_connected.reset();
  server_->Continue();
  EXPECT_TRUE(Exists(node.path));
}

TEST_F(ZooKeeperSessionTest, ASessionSurvivesARestartOfTheServer) {
  session_ = Open(kMediumSession);
  const ZooNode node = CreateSequential(*session_);
  server_->Kill();
  const ZooResult<ZooNode> during = session_->Find(node.path, RealMono() + kShortCall);
  EXPECT_TRUE(Outcome(during) == "not sent" || Outcome(during) == "no reply") << Outcome(during);
  server_->Start();
  // A request that meets the moment of the restart may lose its reply.
  EXPECT_TRUE(Eventually([&] { return Exists(node.path); }));
  EXPECT_EQ(session_->Find(node.path, Patiently())->czxid, node.czxid);
  EXPECT_TRUE(session_->News().Wait(Patiently())) << "no news of the new connection";
}

TEST_F(ZooKeeperSessionTest, AServerThatAllowsOnlyAShorterTimeoutIsRefused) {
  const ZooResult<ZooNode> found = Open(11min)->Find("/", Patiently());
  EXPECT_EQ(Outcome(found), "refused");
  EXPECT_NE(found.error().message.find("allows a session timeout of 600000 ms, not 660000 ms"),
            std::string::npos)
      << found.error().message;
}

TEST_F(ZooKeeperSessionTest, TheRealEnvOpensSessionsToTheNodesOfThePlan) {
  const RealProcess process{.addresses = {{}, server_->address()}};
  RealEnv env(process, TaskKind::kSession);
  Clients& clients = env.clients();
  EXPECT_EQ(Outcome(clients.zookeeper().Open(kLongSession)->Find("/", Patiently())), "ok");
}

// A child process with a session and an ephemeral node, n-0000000000 of the node `own`.
class SessionProcess {
 public:
  SessionProcess(const NodeAddress& server, std::string own) : own_(std::move(own)) {
    EXPECT_EQ(pipe(created_.data()), 0);
    EXPECT_EQ(pipe(asked_.data()), 0);
    pid_ = ForkBound();
    if (pid_ == 0) Run(server);
    char byte = 0;
    EXPECT_EQ(read(created_[0], &byte, 1), 1);
  }
  ~SessionProcess() {
    for (const int fd : {created_[0], created_[1], asked_[0], asked_[1]}) close(fd);
  }

  void Stop() const { kill(pid_, SIGSTOP); }
  // Lets the process continue and ask for its node. Returns the outcome.
  int ContinueAndAsk() const {
    kill(pid_, SIGCONT);
    EXPECT_EQ(write(asked_[1], "a", 1), 1);
    return WEXITSTATUS(AwaitEnd(pid_));
  }
  static constexpr int kEnded = 7;

 private:
  [[noreturn]] void Run(const NodeAddress& server) {
    auto session = OpenZooKeeper({server}, kShortSession);
    const int status = Live(*session);
    session.reset();
    _exit(status);
  }
  // Returns the exit status of the process.
  int Live(ZooKeeperSession& session) {
    const auto create = [&](const std::string& path, ZooCreate how) {
      return session.Create(own_ + path, "", how, Patiently());
    };
    const auto node = create("/n-", ZooCreate::kEphemeralSequential);
    char byte = 0;
    if (!node || write(created_[1], "c", 1) != 1 || read(asked_[0], &byte, 1) != 1) return 1;
    // While the client has not noticed its own absence, a request may lose its reply.
    ZooResult<ZooNode> found = session.Find(node->path, Patiently());
    if (Outcome(found) == "no reply") found = session.Find(node->path, Patiently());
    if (Outcome(found) != "session ended") return found ? 2 : 3;
    // All later requests fail in the same way.
    const auto late = create("/late", ZooCreate::kPersistent);
    return Outcome(late) == "session ended" && session.News().Wait(Patiently()) ? kEnded : 4;
  }

  std::string own_;
  std::array<int, 2> created_{};
  std::array<int, 2> asked_{};
  pid_t pid_ = -1;
};

TEST_F(ZooKeeperSessionTest, AClientThatIsCutOffLosesItsNodeAfterTheTimeoutAndFindsOut) {
  const SessionProcess other(server_->address(), own_);
  const std::string path = own_ + "/n-0000000000";
  EXPECT_TRUE(Exists(path));
  const MonoTime stopped = RealMono();
  other.Stop();
  // The server last heard from the client at most a third of the timeout before.
  while (RealMono() < stopped + kShortSession / 2) {
    const bool exists = Exists(path);
    ASSERT_TRUE(exists || RealMono() >= stopped + kShortSession / 2);
  }
  EXPECT_TRUE(Eventually([&] { return !Exists(path); }));
  EXPECT_EQ(other.ContinueAndAsk(), SessionProcess::kEnded);
}

}  // namespace
}  // namespace doublehold
