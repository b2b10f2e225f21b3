// The proxy in front of a real redis-server.
#include "faults/proxy/proxy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <optional>
#include <thread>

#include "faults/testing.h"

namespace doublehold {
namespace {

using testing::ByteClient;
using testing::Encode;
using testing::Eventually;
using Action = LinkRule::Action;

constexpr LinkId kLink{.client = 1, .node = 1};
constexpr std::string_view kOk = "+OK\r\n";

std::string Bulk(std::string_view text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }

// A server, and a proxy before it that runs on a thread of its own.
class ProxyTest : public ::testing::Test {
 protected:
  ProxyTest() : proxy_(std::in_place, io_, Prng(7, "proxy")) {
    port_ = *proxy_->AddLink(kLink, server_.socket_path());
    loop_ = std::thread([this] { io_.run(); });
  }

  // Runs `call` on the loop's thread and answers what it answers.
  template <typename Call>
  auto OnLoop(Call call) {
    std::packaged_task<decltype(call())()> task(std::move(call));
    auto answer = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return answer.get();
  }

  ~ProxyTest() override {
    OnLoop([this] { proxy_.reset(); });
    work_.reset();
    loop_.join();
  }

  RuleId Set(LinkRule rule) {
    rule.on_spent = [this] { ++spent_; };
    return OnLoop([&] { return proxy_->SetLink(kLink, rule); });
  }
  RuleReport Clear(RuleId id) {
    return OnLoop([&] { return proxy_->ClearLink(id); });
  }
  // Waits until a rule has acted on that many frames.
  bool ActedOn(RuleId id, int64_t frames) {
    return Eventually([&] { return OnLoop([&] { return proxy_->Report(id).frames; }) == frames; });
  }
  size_t connections() {
    return OnLoop([&] { return proxy_->connections(); });
  }

  ByteClient Client() { return ByteClient::ToPort(port_); }
  ByteClient Direct() { return ByteClient::ToUnix(server_.socket_path()); }

  testing::TempDir dir_;
  testing::RedisServer server_{dir_};
  std::atomic<int> spent_ = 0;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::optional<Proxy> proxy_;
  uint16_t port_ = 0;
  std::thread loop_;
};

TEST_F(ProxyTest, CarriesCommandsAndReplies) {
  ByteClient client = Client();
  EXPECT_EQ(client.Call({"SET", "k", "v"}), kOk);
  EXPECT_EQ(client.Call({"GET", "k"}), "$1\r\nv\r\n");
  EXPECT_TRUE(client.Send("ping\r\n"));
  EXPECT_EQ(client.ReceiveReply(), "+PONG\r\n");
}

TEST_F(ProxyTest, ADelayedRequestTakesThatMuchLonger) {
  ByteClient client = Client();
  client.Call({"PING"});
  const RuleId rule = Set({.action = Action::kDelay, .delay = 50ms});
  const MonoTime sent = testing::Now();
  EXPECT_EQ(client.Call({"PING"}), "+PONG\r\n");
  EXPECT_GE(testing::Now() - sent, 50ms);
  const RuleReport report = Clear(rule);
  EXPECT_EQ(report.frames, 1);
  EXPECT_GE(report.longest_delay, 50ms);
}

TEST_F(ProxyTest, ADelayedReplyIsOfACommandThatRan) {
  ByteClient client = Client();
  const RuleId rule =
      Set({.direction = Direction::kReply, .action = Action::kHold, .command = "SET"});
  ByteClient direct = Direct();
  client.Send(Encode({"SET", "k", "v"}));
  EXPECT_TRUE(Eventually([&] { return direct.Call({"GET", "k"}) == "$1\r\nv\r\n"; }));
  EXPECT_TRUE(ActedOn(rule, 1));
  EXPECT_EQ(client.ReceiveNow(), "");
  Clear(rule);
  EXPECT_EQ(client.ReceiveReply(), kOk);
}

TEST_F(ProxyTest, JitterStaysWithinItsBounds) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDelay, .delay = 4ms, .jitter = 2ms});
  for (int i = 0; i < 20; ++i) {
    const MonoTime sent = testing::Now();
    client.Call({"PING"});
    EXPECT_GE(testing::Now() - sent, 2ms);
  }
  const RuleReport report = Clear(rule);
  EXPECT_EQ(report.frames, 20);
  EXPECT_GT(report.longest_delay, 4ms);  // one of twenty is above the middle: fails once in 2^20
}

TEST_F(ProxyTest, WhatFollowsAHeldFrameWaitsBehindIt) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kHold, .command = "SET"});
  client.Send(Encode({"SET", "k", "v"}) + Encode({"GET", "k"}));
  client.Send(Encode({"PING"}));
  EXPECT_TRUE(ActedOn(rule, 1));
  ByteClient other = Client();  // another connection does not
  EXPECT_EQ(other.Call({"GET", "k"}), "$-1\r\n");
  EXPECT_EQ(client.ReceiveNow(), "");
  Clear(rule);
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_EQ(client.ReceiveReply(), "$1\r\nv\r\n");
  EXPECT_EQ(client.ReceiveReply(), "+PONG\r\n");
}

TEST_F(ProxyTest, AHeldRequestLandsAfterItsClientHasClosed) {
  const RuleId rule = Set({.action = Action::kHold, .command = "SET"});
  {
    ByteClient client = Client();
    client.Send(Encode({"SET", "k", "late"}));
    EXPECT_TRUE(ActedOn(rule, 1));
  }
  ByteClient other = Client();
  EXPECT_EQ(other.Call({"GET", "k"}), "$-1\r\n");
  other.Close();
  Clear(rule);
  ByteClient direct = Direct();
  EXPECT_TRUE(Eventually([&] { return direct.Call({"GET", "k"}) == "$4\r\nlate\r\n"; }));
  EXPECT_TRUE(Eventually([&] { return connections() == 0; }));
}

TEST_F(ProxyTest, ADroppedReplyLeavesTheKeySetAndTheConnectionInStep) {
  ByteClient client = Client();
  Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "SET", .limit = 1});
  client.Send(Encode({"SET", "k", "v"}));
  EXPECT_EQ(client.Call({"GET", "k"}), "$1\r\nv\r\n");
  EXPECT_TRUE(Eventually([&] { return spent_ == 1; }));
  EXPECT_EQ(client.Call({"SET", "k", "w"}), kOk);
  EXPECT_EQ(spent_, 1);
}

TEST_F(ProxyTest, ADroppedRequestNeverRunsAndGetsNoReply) {
  ByteClient client = Client();
  const RuleId drop = Set({.action = Action::kDrop, .command = "SET"});
  const RuleId hold =
      Set({.direction = Direction::kReply, .action = Action::kHold, .command = "GET"});
  client.Send(Encode({"SET", "k", "v"}) + Encode({"EXISTS", "k"}) + Encode({"GET", "k"}));
  EXPECT_EQ(client.ReceiveReply(), ":0\r\n");
  EXPECT_EQ(Clear(drop).frames, 1);
  Clear(hold);
  EXPECT_EQ(client.ReceiveReply(), "$-1\r\n");
  EXPECT_EQ(client.Call({"SET", "k", "v"}), kOk);
}

TEST_F(ProxyTest, ABlackHoleTakesBothDirectionsAndKeepsTheConnection) {
  ByteClient client = Client();
  ByteClient direct = Direct();
  const RuleId replies = Set({.direction = Direction::kReply, .action = Action::kDrop});
  client.Send(Encode({"SET", "k", "v"}));
  EXPECT_TRUE(ActedOn(replies, 1));
  const RuleId requests = Set({.action = Action::kDrop});
  client.Send(Encode({"DEL", "k"}));
  EXPECT_TRUE(ActedOn(requests, 1));
  EXPECT_EQ(direct.Call({"EXISTS", "k"}), ":1\r\n");
  EXPECT_EQ(client.ReceiveNow(), "");
  Clear(replies);
  Clear(requests);
  EXPECT_EQ(client.Call({"EXISTS", "k"}), ":1\r\n");
}

TEST_F(ProxyTest, AResetEndsBothSidesInPlaceOfTheFrame) {
  ByteClient client = Client();
  Set({.action = Action::kReset, .command = "SET", .limit = 1});
  client.Send(Encode({"PING"}) + Encode({"SET", "k", "v"}) + Encode({"SET", "k", "w"}));
  EXPECT_EQ(client.ReceiveEnd(), ECONNRESET);
  EXPECT_TRUE(Eventually([&] { return spent_ == 1; }));
  ByteClient again = Client();
  EXPECT_EQ(again.Call({"EXISTS", "k"}), ":0\r\n");
  EXPECT_EQ(connections(), 1u);
}

TEST_F(ProxyTest, AResetInPlaceOfAReplyIsOfACommandThatRan) {
  ByteClient client = Client();
  Set({.direction = Direction::kReply, .action = Action::kReset, .command = "SET"});
  client.Send(Encode({"SET", "k", "v"}));
  EXPECT_EQ(client.ReceiveEnd(), ECONNRESET);
  EXPECT_EQ(Direct().Call({"GET", "k"}), "$1\r\nv\r\n");
}

TEST_F(ProxyTest, ALimitCountsFramesAcrossConnections) {
  Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "GET", .limit = 2});
  ByteClient first = Client();
  ByteClient second = Client();
  first.Send(Encode({"GET", "k"}));
  EXPECT_EQ(first.Call({"PING"}), "+PONG\r\n");
  EXPECT_EQ(spent_, 0);
  second.Send(Encode({"GET", "k"}));
  EXPECT_EQ(second.Call({"PING"}), "+PONG\r\n");
  EXPECT_TRUE(Eventually([&] { return spent_ == 1; }));
  EXPECT_EQ(second.Call({"GET", "k"}), "$-1\r\n");
}

TEST_F(ProxyTest, AHeldFrameIsSpentOnceItIsOnItsWay) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDelay, .command = "SET", .delay = 100ms, .limit = 1});
  const MonoTime sent = testing::Now();
  EXPECT_EQ(client.Call({"SET", "k", "v"}), kOk);
  EXPECT_TRUE(Eventually([&] { return spent_ == 1; }));
  EXPECT_GE(testing::Now() - sent, 100ms);
  EXPECT_GE(Clear(rule).longest_delay, 100ms);
}

TEST_F(ProxyTest, RemovingARuleReleasesWhatItDelaysAndTellsNobody) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDelay, .delay = 3600s, .limit = 1});
  client.Send(Encode({"PING"}));
  EXPECT_TRUE(ActedOn(rule, 1));
  const RuleReport report = Clear(rule);
  EXPECT_EQ(report.frames, 1);
  EXPECT_GT(report.longest_delay, Duration{});
  EXPECT_EQ(client.ReceiveReply(), "+PONG\r\n");
  EXPECT_EQ(spent_, 0);
}

TEST_F(ProxyTest, RulesAreAskedInTheOrderTheyWereSet) {
  ByteClient client = Client();
  const RuleId get =
      Set({.direction = Direction::kReply, .action = Action::kDelay, .command = "GET"});
  const RuleId all = Set({.direction = Direction::kReply, .action = Action::kDrop});
  client.Send(Encode({"PING"}));
  EXPECT_EQ(client.Call({"GET", "k"}), "$-1\r\n");
  EXPECT_EQ(Clear(get).frames, 1);
  EXPECT_EQ(Clear(all).frames, 1);
}

TEST_F(ProxyTest, OneCommandOfAPipelineCanBeNamed) {
  ByteClient client = Client();
  Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "INCR"});
  std::string pipeline;
  for (int i = 0; i < 100; ++i) {
    pipeline +=
        Encode({"SET", "k", std::to_string(i)}) + Encode({"incr", "k"}) + Encode({"GET", "k"});
  }
  client.Send(pipeline);
  for (int i = 0; i < 100; ++i) {
    const std::string value = std::to_string(i + 1);
    EXPECT_EQ(client.ReceiveReply(), kOk);
    EXPECT_EQ(client.ReceiveReply(), Bulk(value));
  }
}

TEST_F(ProxyTest, MessagesOfASubscriptionHaveTheirOwnName) {
  ByteClient subscriber = Client();
  EXPECT_EQ(subscriber.Call({"SUBSCRIBE", "a", "b"}), "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
  EXPECT_EQ(subscriber.ReceiveReply(), "*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n");
  ByteClient direct = Direct();
  const RuleId drop =
      Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "MESSAGE"});
  EXPECT_EQ(direct.Call({"PUBLISH", "a", "lost"}), ":1\r\n");
  EXPECT_EQ(subscriber.Call({"PING"}), "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
  EXPECT_EQ(Clear(drop).frames, 1);
  direct.Call({"PUBLISH", "b", "seen"});
  EXPECT_EQ(subscriber.ReceiveReply(), "*3\r\n$7\r\nmessage\r\n$1\r\nb\r\n$4\r\nseen\r\n");
  EXPECT_EQ(subscriber.Call({"UNSUBSCRIBE"}).substr(0, 20), "*3\r\n$11\r\nunsubscribe");
  subscriber.ReceiveReply();
  Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "ECHO"});
  subscriber.Send(Encode({"ECHO", "lost"}));
  EXPECT_EQ(subscriber.Call({"PING"}), "+PONG\r\n");
}

TEST_F(ProxyTest, PushesOfTheNewerProtocolAreNoReplies) {
  ByteClient client = Client();
  EXPECT_EQ(client.Call({"HELLO", "3"}).substr(0, 1), "%");
  EXPECT_EQ(client.Call({"SUBSCRIBE", "a"}).substr(0, 1), ">");
  const RuleId drop =
      Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "PUBLISH"});
  client.Send(Encode({"PUBLISH", "a", "x"}));
  EXPECT_EQ(client.ReceiveReply(), ">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n");
  EXPECT_EQ(client.Call({"PING"}), "+PONG\r\n");
  EXPECT_EQ(Clear(drop).frames, 1);
}

TEST_F(ProxyTest, WhatIsNoRedisProtocolReachesTheServerUntouched) {
  ByteClient client = Client();
  client.Send("*1\r\nnonsense\r\n");
  EXPECT_EQ(client.ReceiveReply(), "-ERR Protocol error: expected '$', got 'n'\r\n");
  EXPECT_EQ(client.ReceiveEnd(), 0);
}

TEST_F(ProxyTest, AClientThatClosesItsSideStillGetsItsReplies) {
  ByteClient client = Client();
  const RuleId rule = Set({.direction = Direction::kReply, .action = Action::kHold});
  client.Send(Encode({"SET", "k", "v"}) + Encode({"GET", "k"}));
  ByteClient direct = Direct();
  EXPECT_TRUE(Eventually([&] { return direct.Call({"EXISTS", "k"}) == ":1\r\n"; }));
  client.CloseWriting();
  // The server has closed when only our own connection is left.
  EXPECT_TRUE(Eventually([&] {
    return direct.Call({"INFO", "clients"}).find("connected_clients:1\r\n") != std::string::npos;
  }));
  EXPECT_EQ(client.ReceiveNow(), "");
  Clear(rule);
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_EQ(client.ReceiveReply(), "$1\r\nv\r\n");
  EXPECT_EQ(client.ReceiveEnd(), 0);
  EXPECT_TRUE(Eventually([&] { return connections() == 0; }));
}

TEST_F(ProxyTest, TheDeathOfTheServerReachesTheClient) {
  ByteClient client = Client();
  client.Call({"PING"});
  server_.Signal(SIGKILL);
  EXPECT_EQ(client.ReceiveEnd(), 0);
  EXPECT_TRUE(Eventually([&] { return connections() == 0; }));
  EXPECT_EQ(Client().ReceiveEnd(), ECONNRESET);
}

TEST_F(ProxyTest, AStoppedServerAnswersWhenItGoesOn) {
  server_.Signal(SIGSTOP);
  // More than the server's backlog takes.
  std::vector<ByteClient> clients;
  for (int i = 0; i < 600; ++i) {
    clients.push_back(Client());
    EXPECT_TRUE(clients.back().Send(Encode({"PING"})));
  }
  EXPECT_TRUE(Eventually([&] { return connections() == 600; }));
  server_.Signal(SIGCONT);
  for (ByteClient& client : clients) EXPECT_EQ(client.ReceiveReply(), "+PONG\r\n");
}

TEST_F(ProxyTest, PendingBytesAreBounded) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kHold});
  fcntl(client.fd(), F_SETFL, O_NONBLOCK);
  const std::string command = Encode({"SET", "k", std::string(100'000, 'x')});
  constexpr size_t kMost = 256 * 1024 * 1024;  // far more than the buffers of sockets take
  size_t sent = 0;
  int refused = 0;
  while (sent < kMost && refused < 200) {
    const size_t begin = sent % command.size();
    const ssize_t taken =
        send(client.fd(), command.data() + begin, command.size() - begin, MSG_NOSIGNAL);
    if (taken > 0) {
      sent += static_cast<size_t>(taken);
      refused = 0;
      continue;
    }
    ++refused;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_LT(sent, kMost);
  fcntl(client.fd(), F_SETFL, 0);
  Clear(rule);
  EXPECT_TRUE(client.Send(std::string_view(command).substr(sent % command.size())));
  for (size_t i = 0; i <= sent / command.size(); ++i) ASSERT_EQ(client.ReceiveReply(), kOk);
}

TEST_F(ProxyTest, ClosingWithPendingFramesLeavesNothing) {
  const RuleId rule = Set({.action = Action::kHold});
  ByteClient client = Client();
  client.Send(Encode({"PING"}));
  EXPECT_TRUE(ActedOn(rule, 1));
  OnLoop([&] { proxy_->Close(); });
  EXPECT_NE(client.ReceiveEnd(), -1);
  EXPECT_EQ(connections(), 0u);
  EXPECT_FALSE(Client().connected());
}

TEST_F(ProxyTest, ItsDescriptorsDoNotSurviveExec) {
  ByteClient client = Client();
  client.Call({"PING"});
  for (int fd = 3; fd < 200; ++fd) {
    int type = 0;
    socklen_t bytes = sizeof(type);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0) continue;
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << "descriptor " << fd;
  }
}

TEST_F(ProxyTest, APathTooLongForASocketIsAnError) {
  const Result<uint16_t> port = OnLoop([&] {
    return proxy_->AddLink({2, 1}, std::string(200, 'p'));
  });
  ASSERT_FALSE(port);
  EXPECT_NE(port.error().message.find("200 bytes"), std::string::npos);
}

// Ten thousand frames of random sizes in chunks of random sizes, through jitter in both directions.
TEST_F(ProxyTest, RandomFramesInRandomChunksArriveByteForByte) {
  Set({.action = Action::kDelay, .command = "ECHO", .delay = 100us, .jitter = 100us});
  Set({.direction = Direction::kReply, .action = Action::kDelay, .delay = 100us, .jitter = 100us});
  Prng random(1, "frames");
  std::vector<std::string> payloads;
  std::string stream;
  for (int i = 0; i < 10'000; ++i) {
    std::string payload(random.Below(i % 500 == 0 ? 300'000 : 200), '\0');
    for (char& c : payload) c = static_cast<char>(random.Below(256));
    stream += Encode({i % 2 == 0 ? "ECHO" : "echo", payload});
    payloads.push_back(std::move(payload));
  }
  ByteClient client = Client();
  std::thread writer([&] {
    Prng chunks(2, "chunks");
    std::string_view rest = stream;
    while (!rest.empty()) {
      const auto bytes = std::min<size_t>(rest.size(), 1 + chunks.Below(chunks.Below(4000) + 1));
      if (!client.Send(rest.substr(0, bytes))) return;
      rest.remove_prefix(bytes);
    }
  });
  for (const std::string& payload : payloads) {
    const std::string reply = client.ReceiveReply();
    const std::string want = Bulk(payload);
    if (reply == want) continue;
    ADD_FAILURE() << "a reply of " << reply.size() << " bytes, not " << want.size();
    break;
  }
  client.CloseWriting();
  writer.join();
}

}  // namespace
}  // namespace doublehold
