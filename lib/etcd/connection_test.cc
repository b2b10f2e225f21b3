#include "lib/etcd/connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "lib/base/check.h"
#include "lib/real/real_env.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/etcd_server.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::EtcdServer;
using testing::Eventually;
using testing::FindFreePort;
using testing::kPatience;
using testing::WhyNoEtcd;

constexpr Duration kLongLease = 2 * kPatience;  // longer than kPatience
constexpr Duration kShortCall = 200ms;
const std::string kPrefix = "dh:item:0/";

Deadline Patiently() { return RealMono() + kPatience; }

// Returns the name of a result: "ok", or the kind of its failure.
template <typename Value>
std::string Outcome(const EtcdResult<Value>& result) {
  if (result) return "ok";
  constexpr std::array kNames{"no lease", "not sent", "no reply", "refused"};
  return kNames.at(static_cast<size_t>(result.error().kind));
}

class EtcdConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoEtcd(); !why.empty()) GTEST_SKIP() << why;
    server_ = std::make_unique<EtcdServer>();
    etcd_ = DialEtcd({server_->address()});
  }

  int64_t GrantLease(Duration ttl = kLongLease) {
    const EtcdResult<int64_t> lease = etcd_->GrantLease(ttl, Patiently());
    EXPECT_EQ(Outcome(lease), "ok");
    return lease.value_or(0);
  }
  EtcdQueue Create(const std::string& name, int64_t lease) {
    const auto queue = etcd_->Create(kPrefix + name, lease, kPrefix, Patiently());
    EXPECT_EQ(Outcome(queue), "ok");
    return queue.value_or(EtcdQueue{});
  }
  bool IsAlive(int64_t lease) { return etcd_->KeepAlive(lease, Patiently()).has_value(); }
  // Returns the last key of the queue, or "" if the queue is empty.
  std::string FindLast() {
    const auto last = etcd_->FindBefore(kPrefix, INT64_MAX, Patiently());
    EXPECT_EQ(Outcome(last), "ok");
    return last && *last ? (*last)->name.substr(kPrefix.size()) : "";
  }

  std::unique_ptr<EtcdServer> server_;
  std::unique_ptr<EtcdConnection> etcd_;
};

TEST_F(EtcdConnectionTest, AllKeysAreListedByName) {
  EXPECT_TRUE(etcd_->Keys(Patiently()).value().empty());
  const int64_t lease = GrantLease();
  Create("b", lease);
  Create("a", lease);
  EXPECT_EQ(etcd_->Keys(Patiently()).value(),
            (std::vector<std::string>{kPrefix + "a", kPrefix + "b"}));
}

TEST_F(EtcdConnectionTest, KeysOfAQueueAreFoundInTheOrderOfTheirCreation) {
  const int64_t lease = GrantLease();
  const EtcdQueue b = Create("b", lease);
  EXPECT_EQ(b.own.name, kPrefix + "b");
  EXPECT_EQ(b.first.name, b.own.name);
  const EtcdQueue a = Create("a", lease);
  EXPECT_GT(a.own.create_revision, b.own.create_revision);
  EXPECT_EQ(a.first.name, b.own.name);
  EXPECT_EQ(a.first.create_revision, b.own.create_revision);
  // A create of an existing key changes nothing.
  EXPECT_EQ(Create("b", lease).own.create_revision, b.own.create_revision);

  const auto before = etcd_->FindBefore(kPrefix, a.own.create_revision, Patiently());
  EXPECT_EQ((*before)->name, b.own.name);
  EXPECT_EQ((*before)->create_revision, b.own.create_revision);
  EXPECT_FALSE(etcd_->FindBefore(kPrefix, b.own.create_revision, Patiently())->has_value());
}

TEST_F(EtcdConnectionTest, KeysOfAnyBytesComeBack) {
  const int64_t lease = GrantLease();
  for (const std::string name : {"a", "ab", "abc", "\x01\xfe\xff~"})
    EXPECT_EQ(Create(name, lease).own.name, kPrefix + name);
}

TEST_F(EtcdConnectionTest, ARevokedLeaseTakesItsKeysAlong) {
  const int64_t lease = GrantLease();
  Create("a", lease);
  EXPECT_TRUE(IsAlive(lease));
  EXPECT_EQ(Outcome(etcd_->Revoke(lease, Patiently())), "ok");
  EXPECT_EQ(FindLast(), "");
  EXPECT_EQ(Outcome(etcd_->Revoke(lease, Patiently())), "no lease");
  EXPECT_EQ(Outcome(etcd_->KeepAlive(lease, Patiently())), "no lease");
  EXPECT_EQ(Outcome(etcd_->Create(kPrefix + "a", lease, kPrefix, Patiently())), "no lease");
  EXPECT_EQ(Outcome(etcd_->Lock("name", lease, Patiently())), "no lease");
}

TEST_F(EtcdConnectionTest, ALeaseEndsUnlessItIsKeptAlive) {
  const int64_t kept = GrantLease(1s);
  const int64_t left = GrantLease(300ms);  // rounded up to 1 s
  Create("kept", kept);
  Create("left", left);
  EXPECT_TRUE(Eventually([&] { return IsAlive(kept) && FindLast() == "kept"; }));
  EXPECT_TRUE(Eventually([&] { return FindLast().empty(); }));
}

TEST_F(EtcdConnectionTest, AWatchGetsAMessageWhenTheKeyIsDeletedOrWasDeletedBefore) {
  const int64_t lease = GrantLease();
  const EtcdKey key = Create("a", lease).own;
  const auto watch = etcd_->WatchDeletion(key);
  EXPECT_FALSE(watch->Wait(RealMono() + kShortCall));
  Create("b", GrantLease());
  EXPECT_FALSE(watch->Wait(RealMono() + kShortCall));
  EXPECT_EQ(Outcome(etcd_->Revoke(lease, Patiently())), "ok");
  EXPECT_TRUE(watch->Wait(Patiently()));
  EXPECT_FALSE(watch->Wait(RealMono() + kShortCall));  // each message once
  EXPECT_TRUE(etcd_->WatchDeletion(key)->Wait(Patiently()));
}

TEST_F(EtcdConnectionTest, AWatchFailsWithItsServerAndThenSubscribesAgain) {
  const int64_t lease = GrantLease();
  const auto watch = etcd_->WatchDeletion(Create("a", lease).own);
  EXPECT_FALSE(watch->Wait(RealMono() + kShortCall));
  server_->Kill();
  EXPECT_FALSE(watch->Wait(Patiently()));
  server_->Start();
  EXPECT_TRUE(watch->Wait(Patiently()));  // a message may have been missed
  EXPECT_EQ(Outcome(etcd_->Revoke(lease, Patiently())), "ok");
  EXPECT_TRUE(watch->Wait(Patiently()));
}

TEST_F(EtcdConnectionTest, TheServersLockIsGrantedToOneLeaseAtATime) {
  const int64_t first = GrantLease();
  const int64_t second = GrantLease();
  const EtcdResult<EtcdKey> granted = etcd_->Lock("name", first, Patiently());
  ASSERT_EQ(Outcome(granted), "ok");
  EXPECT_EQ(Outcome(etcd_->Lock("name", second, RealMono() + kShortCall)), "no reply");
  EXPECT_EQ(Outcome(etcd_->Unlock(granted->name, Patiently())), "ok");
  const EtcdResult<EtcdKey> next = etcd_->Lock("name", second, Patiently());
  ASSERT_EQ(Outcome(next), "ok");
  EXPECT_GT(next->create_revision, granted->create_revision);
}

TEST_F(EtcdConnectionTest, ARequestToAStoppedServerEndsAtItsDeadlineAndALaterOneSucceeds) {
  const int64_t lease = GrantLease();
  server_->Stop();
  EXPECT_EQ(Outcome(etcd_->Create(kPrefix + "a", lease, kPrefix, RealMono() + kShortCall)),
            "no reply");
  server_->Continue();
  EXPECT_EQ(Create("b", lease).own.name, kPrefix + "b");
}

TEST_F(EtcdConnectionTest, TheNextServerIsAskedWhenNobodyListens) {
  const auto etcd = DialEtcd({{.port = FindFreePort()}, server_->address()});
  EXPECT_EQ(Outcome(etcd->GrantLease(kLongLease, Patiently())), "ok");
  server_->Kill();
  EXPECT_EQ(Outcome(etcd->GrantLease(kLongLease, Patiently())), "not sent");
  EXPECT_EQ(Outcome(etcd->GrantLease(kLongLease, RealMono())), "not sent");
}

// A listener whose queue is full answers nobody, as a server does that is cut off.
TEST_F(EtcdConnectionTest, TheNextServerIsAskedInTimeWhenTheFirstIsCutOff) {
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t bytes = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_TRUE(bind(listener, generic, bytes) == 0 && listen(listener, 0) == 0);
  ASSERT_EQ(getsockname(listener, generic, &bytes), 0);
  std::array<int, 4> waiting{};
  for (int& client : waiting) {
    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)connect(client, generic, bytes);  // in progress
  }
  const auto etcd = DialEtcd({{.port = ntohs(address.sin_port)}, server_->address()});
  EXPECT_EQ(Outcome(etcd->GrantLease(kLongLease, RealMono() + kPatience / 15)), "ok");
  for (const int client : waiting) close(client);
  close(listener);
}

TEST_F(EtcdConnectionTest, ARequestSucceedsAfterARestartOfTheServer) {
  const int64_t lease = GrantLease();
  server_->Kill();
  server_->Start();
  EXPECT_EQ(Create("a", lease).own.name, kPrefix + "a");
}

TEST_F(EtcdConnectionTest, TheRealEnvDialsTheNodesOfThePlan) {
  const RealProcess process{.addresses = {{}, server_->address()}};
  RealEnv env(process, TaskKind::kSession);
  Clients& clients = env.clients();
  EXPECT_EQ(Outcome(clients.etcd().Dial()->GrantLease(kLongLease, Patiently())), "ok");
}

// A server that sends a text for the first request of a connection, and closes the connection at
// the next. Counts requests.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::string reply) : reply_(std::move(reply)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t bytes = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    CHECK(bind(fd_, generic, bytes) == 0 && listen(fd_, 8) == 0);
    CHECK(getsockname(fd_, generic, &bytes) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~ScriptedServer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  [[nodiscard]] NodeAddress address() const { return {.port = port_}; }
  [[nodiscard]] int requests() const { return requests_; }

 private:
  void Serve() {
    for (int peer = accept(fd_, nullptr, nullptr); peer >= 0;
         peer = accept(fd_, nullptr, nullptr)) {
      std::array<char, 4096> request{};
      for (bool is_next = false; recv(peer, request.data(), request.size(), 0) > 0;
           is_next = true) {
        ++requests_;
        if (is_next || reply_.empty()) break;
        send(peer, reply_.data(), reply_.size(), MSG_NOSIGNAL);
      }
      close(peer);
    }
  }

  std::string reply_;
  int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  uint16_t port_ = 0;
  std::atomic<int> requests_ = 0;
  std::thread thread_;
};

std::string HttpText(std::string_view status, std::string_view body) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

TEST(EtcdFailures, SayWhetherTheRequestMayHaveBeenExecuted) {
  if (!HasEtcd()) GTEST_SKIP() << WhyNoEtcd();
  const auto error = [](const char* status, int code, const char* message) {
    return HttpText(status, fmt::format(R"({{"code":{},"message":"{}"}})", code, message));
  };
  struct Case {
    std::string reply;
    const char* outcome;
  };
  for (const Case& each :
       {Case{HttpText("200 OK", R"({"ID":"7"})"), "ok"},
        Case{error("400 Bad Request", 3, "etcdserver: key is not provided"), "refused"},
        Case{error("503 Service Unavailable", 14, "etcdserver: leader changed"), "no reply"},
        Case{error("500 Error", 2, "etcdserver: requested lease not found"), "no lease"},
        Case{HttpText("200 OK", "not JSON"), "no reply"},
        Case{HttpText("200 OK", "{}"), "no reply"},
        Case{HttpText("502 Bad Gateway", ""), "no reply"}, Case{"", "no reply"}}) {
    SCOPED_TRACE(each.reply);
    const ScriptedServer server(each.reply);
    EXPECT_EQ(Outcome(DialEtcd({server.address()})->GrantLease(kLongLease, Patiently())),
              each.outcome);
    EXPECT_EQ(server.requests(), 1);
  }
}

TEST(EtcdFailures, NoRequestIsSentTwiceWhenAKeptConnectionBreaks) {
  if (!HasEtcd()) GTEST_SKIP() << WhyNoEtcd();
  const ScriptedServer server(HttpText("200 OK", R"({"ID":"7"})"));
  const auto etcd = DialEtcd({server.address()});
  EXPECT_EQ(Outcome(etcd->GrantLease(kLongLease, Patiently())), "ok");
  EXPECT_EQ(Outcome(etcd->GrantLease(kLongLease, Patiently())), "no reply");
  EXPECT_EQ(server.requests(), 2);
}

}  // namespace
}  // namespace doublehold
