#include "lib/redis/hiredis_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::Ask;
using testing::Call;
using testing::Eventually;
using testing::kPatience;
using testing::Server;
using testing::TempFolder;

class HiredisConnection : public ::testing::Test {
 protected:
  std::string SocketNamed(const std::string& name) { return folder_.path() / name; }

  TempFolder folder_;
  Server server_{folder_.path() / "1.sock"};
  std::unique_ptr<Connection> connection_ = MakeConnection(server_.address());
};

CallResult ReplyIn(std::string_view bytes) {
  ReplyReader replies;
  replies.Feed(bytes);
  return replies.Next().value();
}

TEST(ReplyReader, ReadsEveryKindOfReply) {
  EXPECT_EQ(ReplyIn(":42\r\n")->integer, 42);
  EXPECT_EQ(ReplyIn("+OK\r\n")->text, "OK");
  EXPECT_EQ(ReplyIn("$5\r\na\r\nbc\r\n")->text, "a\r\nbc");
  EXPECT_TRUE(ReplyIn("$-1\r\n")->IsNil());
  EXPECT_TRUE(ReplyIn("*-1\r\n")->IsNil());
  const CallResult array = ReplyIn("*3\r\n:1\r\n-ERR no\r\n*1\r\n$0\r\n\r\n");
  ASSERT_EQ(array->items.size(), 3u);
  EXPECT_EQ(array->items[1].text, "ERR no");
  EXPECT_EQ(array->items[2].items.at(0).text, "");
  const CallResult error = ReplyIn("-LOADING wait\r\n");
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "LOADING wait");
  EXPECT_TRUE(error.error().definite);
}

TEST(ReplyReader, ParsesRepliesThatArriveInParts) {
  ReplyReader replies;
  replies.Feed("$5\r\nhel");
  EXPECT_FALSE(replies.Next().has_value());
  replies.Feed("lo\r\n:1\r\n?");
  EXPECT_EQ(replies.Next().value()->text, "hello");
  EXPECT_EQ(replies.Next().value()->integer, 1);
  const CallResult broken = replies.Next().value();
  ASSERT_FALSE(broken);
  EXPECT_FALSE(broken.error().definite);
}

TEST_F(HiredisConnection, ReturnsEveryKindOfReply) {
  EXPECT_EQ(Call(*connection_, {"SET", "k", "v"})->kind, Reply::Kind::kStatus);
  EXPECT_EQ(Call(*connection_, {"SET", "k", "v"})->text, "OK");
  EXPECT_EQ(Call(*connection_, {"GET", "k"})->kind, Reply::Kind::kString);
  EXPECT_EQ(Call(*connection_, {"GET", "k"})->text, "v");
  EXPECT_TRUE(Call(*connection_, {"GET", "absent"})->IsNil());
  EXPECT_TRUE(Call(*connection_, {"INCRBY", "n", "-7"})->IsInteger(-7));
  const CallResult list = Call(*connection_, {"MGET", "k", "absent", "n"});
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->items.size(), 3u);
  EXPECT_EQ(list->items[0].text, "v");
  EXPECT_TRUE(list->items[1].IsNil());
  EXPECT_EQ(list->items[2].text, "-7");
}

TEST_F(HiredisConnection, BytesArriveUnchanged) {
  const std::string odd("a\0b\r\n$5\r\n", 9);
  const std::string large(3 << 20, 'x');  // more than any socket buffer holds
  for (const std::string& value : {odd, large, std::string()}) {
    ASSERT_TRUE(Call(*connection_, {"SET", "k", value}).has_value());
    EXPECT_EQ(Call(*connection_, {"GET", "k"})->text, value);
  }
}

TEST_F(HiredisConnection, AServerErrorIsADefiniteFailure) {
  ASSERT_TRUE(Call(*connection_, {"SET", "k", "v"}).has_value());
  const CallResult wrong = Call(*connection_, {"INCR", "k"});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_TRUE(wrong.error().definite);
  EXPECT_EQ(wrong.error().message, "ERR value is not an integer or out of range");
  EXPECT_EQ(Call(*connection_, {"GET", "k"})->text, "v") << "the connection goes on";
}

TEST_F(HiredisConnection, AScriptIsSentInFullIfTheServerLacksIt) {
  const Script script("return {KEYS[1], ARGV[1], ARGV[2]}");
  const std::array<std::string_view, 1> keys{"k"};
  const std::array<std::string_view, 2> args{"a", "b"};
  for (const bool flushed : {false, false, true}) {
    if (flushed) {
      ASSERT_EQ(Ask(server_.address(), {"SCRIPT", "FLUSH"}), "OK");
    }
    const CallResult result = connection_->Eval(script, keys, args, RealMono() + kPatience);
    ASSERT_TRUE(result.has_value()) << result.error().message;
    ASSERT_EQ(result->items.size(), 3u);
    EXPECT_EQ(result->items[0].text, "k");
    EXPECT_EQ(result->items[2].text, "b");
  }
  EXPECT_EQ(Ask(server_.address(), {"SCRIPT", "EXISTS", script.sha1}), "[1]");
  const std::string stats = Ask(server_.address(), {"INFO", "commandstats"});
  EXPECT_NE(stats.find("cmdstat_evalsha:calls=3"), std::string::npos) << stats;
  EXPECT_NE(stats.find("cmdstat_eval:calls=2"), std::string::npos) << stats;
}

TEST_F(HiredisConnection, AScriptThatFailsMayHaveChangedData) {
  const Script script("redis.call('set', KEYS[1], 'half') return redis.call('incr', KEYS[1])");
  const std::array<std::string_view, 1> keys{"k"};
  const CallResult result = connection_->Eval(script, keys, {}, RealMono() + kPatience);
  ASSERT_FALSE(result.has_value());
  EXPECT_FALSE(result.error().definite);
  EXPECT_EQ(Ask(server_.address(), {"GET", "k"}), "half");
}

TEST_F(HiredisConnection, WithoutAListenerTheFailureIsDefinite) {
  const struct {
    NodeAddress address;
    const char* message;
  } cases[] = {
      {{.unix_path = SocketNamed("none.sock")}, "connect: No such file or directory"},
      {{.host = "127.0.0.1", .port = 1}, "connect: Connection refused"},
  };
  for (const auto& [address, message] : cases) {
    const CallResult result = Call(*MakeConnection(address), {"PING"});
    ASSERT_FALSE(result.has_value());
    EXPECT_TRUE(result.error().definite);
    EXPECT_EQ(result.error().message, message);
  }
  for (const NodeAddress& address :
       {NodeAddress{.unix_path = std::string(200, 'x')}, NodeAddress{.host = "localhost"}}) {
    const CallResult result = Call(*MakeConnection(address), {"PING"});
    ASSERT_FALSE(result.has_value());
    EXPECT_TRUE(result.error().definite);
    EXPECT_EQ(result.error().message, "no usable address: " + FormatAddress(address));
  }
}

TEST_F(HiredisConnection, AStoppedServerMayStillExecuteTheCommand) {
  ASSERT_TRUE(Call(*connection_, {"PING"}).has_value());
  server_.Stop();
  const std::array<std::string_view, 3> set{"SET", "k", "late"};
  const MonoTime deadline = RealMono() + 100ms;
  const CallResult result = connection_->Call(set, deadline);
  EXPECT_GE(RealMono(), deadline);
  ASSERT_FALSE(result.has_value());
  EXPECT_FALSE(result.error().definite);
  EXPECT_EQ(result.error().message, "no answer within the deadline");
  server_.Continue();
  EXPECT_TRUE(Eventually([&] {
    return Ask(server_.address(), {"GET", "k"}) == "late";
  })) << "its bytes had reached the server";
  // The same connection works again, and ignores the late reply.
  EXPECT_EQ(Call(*connection_, {"GET", "k"})->text, "late");
}

TEST_F(HiredisConnection, RepliesOfOtherNodesCountEvenIfASilentNodeTakesAllTheTime) {
  Server second(SocketNamed("2.sock"));
  Server third(SocketNamed("3.sock"));
  const auto to_second = MakeConnection(second.address());
  const auto to_third = MakeConnection(third.address());
  server_.Stop();
  const std::array<std::string_view, 3> set{"SET", "k", "v"};
  const MonoTime deadline = RealMono() + 300ms;
  for (Connection* each : {connection_.get(), to_second.get(), to_third.get()}) {
    each->Start(set, deadline);
  }
  // The test waits until both servers have replied to the SET: a server replies to PING only
  // afterwards.
  for (const Server* each : {&second, &third}) {
    ASSERT_TRUE(Eventually([&] { return Ask(each->address(), {"GET", "k"}) == "v"; }));
    ASSERT_EQ(Ask(each->address(), {"PING"}), "PONG");
  }
  EXPECT_FALSE(connection_->Finish().has_value());
  EXPECT_GE(RealMono(), deadline);
  EXPECT_TRUE(to_second->Finish().has_value()) << "its reply had arrived before Finish";
  EXPECT_TRUE(to_third->Finish().has_value());
}

TEST_F(HiredisConnection, AScriptIsSentInFullToARestartedServer) {
  const Script script("return ARGV[1]");
  const std::array<std::string_view, 1> args{"a"};
  ASSERT_TRUE(connection_->Eval(script, {}, args, RealMono() + kPatience));
  server_.Kill();
  server_.Start();
  const CallResult again = connection_->Eval(script, {}, args, RealMono() + kPatience);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->text, "a");
}

TEST_F(HiredisConnection, ReconnectsToARestartedServer) {
  ASSERT_TRUE(Call(*connection_, {"SET", "k", "v"}).has_value());
  server_.Kill();
  const CallResult gone = Call(*connection_, {"PING"});
  ASSERT_FALSE(gone.has_value());
  server_.Start();
  const CallResult back = Call(*connection_, {"GET", "k"});
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_TRUE(back->IsNil());
}

TEST_F(HiredisConnection, AConnectionClosedByTheServerIsDetectedBeforeSending) {
  ASSERT_TRUE(Call(*connection_, {"PING"}).has_value());
  const MonoTime used = RealMono();
  ASSERT_EQ(Ask(server_.address(), {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}), "1");
  // A recently used connection is not checked.
  ASSERT_TRUE(Eventually([&] { return RealMono() - used > 10ms; }));
  const CallResult result = Call(*connection_, {"PING"});
  EXPECT_TRUE(result.has_value()) << result.error().message;
}

// A peer on a unix socket that is not Redis: accepts one connection, reads some bytes, sends
// `answer` and closes.
class OddPeer {
 public:
  OddPeer(const std::string& path, std::string answer)
      : listener_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    thread_ = std::thread([this, text = std::move(answer)] {
      const int peer = accept(listener_, nullptr, nullptr);
      std::array<char, 256> bytes{};
      EXPECT_GT(recv(peer, bytes.data(), bytes.size(), 0), 0);
      EXPECT_EQ(send(peer, text.data(), text.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(text.size()));
      close(peer);
    });
  }
  ~OddPeer() {
    thread_.join();
    close(listener_);
  }

 private:
  int listener_;
  std::thread thread_;
};

TEST_F(HiredisConnection, ACommandWithoutReplyMayHaveBeenExecuted) {
  const struct {
    const char* answer;
    const char* message;
  } cases[] = {
      {"", "closed by the node"},
      {"$5\r\nhel", "closed by the node"},
      {"HTTP/1.1 400 Bad Request\r\n\r\n",
       "not the Redis protocol: Protocol error, got \"H\" as reply type byte"},
  };
  int number = 0;
  for (const auto& [answer, message] : cases) {
    const std::string path = SocketNamed("odd" + std::to_string(++number));
    const OddPeer peer(path, answer);
    const CallResult result = Call(*MakeConnection({.unix_path = path}), {"PING"});
    ASSERT_FALSE(result.has_value());
    EXPECT_FALSE(result.error().definite) << message;
    EXPECT_EQ(result.error().message, message);
  }
}

TEST_F(HiredisConnection, AFullBacklogIsADefiniteFailure) {
  server_.Stop();
  // Connects until the backlog is full. Earlier failures are timeouts, which are indefinite.
  std::vector<std::unique_ptr<Connection>> waiting;
  const std::array<std::string_view, 1> ping{"PING"};
  bool refused = false;
  for (int i = 0; i < 20'000 && !refused; ++i) {
    waiting.push_back(MakeConnection(server_.address()));
    const CallResult result = waiting.back()->Call(ping, RealMono());
    ASSERT_FALSE(result.has_value());
    refused = result.error().definite;
    if (!refused) continue;
    EXPECT_EQ(result.error().message, "connect: Resource temporarily unavailable");
  }
  ASSERT_TRUE(refused);
  server_.Continue();
  EXPECT_TRUE(Eventually([&] { return Call(*connection_, {"PING"}).has_value(); }));
}

TEST_F(HiredisConnection, APinnedConnectionDoesNotReconnect) {
  ASSERT_EQ(Call(*connection_, {"WATCH", "k"})->text, "OK");
  connection_->Pin();
  ASSERT_EQ(Call(*connection_, {"MULTI"})->text, "OK") << "an open connection can be used";
  server_.Kill();
  server_.Start();
  for (const char* attempt : {"first", "second"}) {
    const CallResult result = Call(*connection_, {"SET", "k", "v"});
    ASSERT_FALSE(result.has_value()) << attempt;
  }
  EXPECT_TRUE(Call(*connection_, {"SET", "k", "v"}).error().definite);
  EXPECT_EQ(Ask(server_.address(), {"EXISTS", "k"}), "0");
  connection_->Unpin();
  EXPECT_EQ(Call(*connection_, {"SET", "k", "v"})->text, "OK");
}

TEST(Subscription, WakesOnAMessage) {
  const TempFolder folder;
  Server server(folder.path() / "1.sock");
  const auto subscription = MakeSubscription(server.address(), "news");
  EXPECT_TRUE(subscription->Wait(RealMono() + kPatience)) << "subscribed: look for yourself once";
  const MonoTime deadline = RealMono() + 20ms;
  EXPECT_FALSE(subscription->Wait(deadline)) << "nothing came";
  EXPECT_GE(RealMono(), deadline);

  EXPECT_EQ(Ask(server.address(), {"PUBLISH", "other", "x"}), "0");
  EXPECT_EQ(Ask(server.address(), {"PUBLISH", "news", "x"}), "1");
  EXPECT_TRUE(subscription->Wait(RealMono() + kPatience)) << "it came before the call";

  std::thread publisher([&] { Ask(server.address(), {"PUBLISH", "news", "x"}); });
  EXPECT_TRUE(subscription->Wait(RealMono() + kPatience)) << "it came during the call";
  publisher.join();
}

TEST(Subscription, MessagesThatArriveTogetherAreOneWakeUp) {
  const TempFolder folder;
  Server server(folder.path() / "1.sock");
  const auto subscription = MakeSubscription(server.address(), "news");
  ASSERT_TRUE(subscription->Wait(RealMono() + kPatience));
  const auto publisher = MakeConnection(server.address());
  for (int i = 0; i < 100; ++i)  // so small that the socket buffer holds all of them
    ASSERT_TRUE(Call(*publisher, {"PUBLISH", "news", "x"})->IsInteger(1));
  // The server sends all messages before it replies to PING.
  ASSERT_TRUE(Call(*publisher, {"PING"}).has_value());
  EXPECT_TRUE(subscription->Wait(RealMono() + kPatience));
  EXPECT_FALSE(subscription->Wait(RealMono() + 20ms));
}

TEST(Subscription, SubscribesAgainAfterARestartAndReportsIt) {
  const TempFolder folder;
  Server server(folder.path() / "1.sock");
  const auto subscription = MakeSubscription(server.address(), "news");
  ASSERT_TRUE(subscription->Wait(RealMono() + kPatience));
  server.Kill();
  EXPECT_FALSE(subscription->Wait(RealMono() + kPatience)) << "closed, long before the deadline";
  EXPECT_FALSE(subscription->Wait(RealMono() + kPatience)) << "nobody listens";
  server.Start();
  EXPECT_TRUE(subscription->Wait(RealMono() + kPatience)) << "a message may have been missed";
  EXPECT_EQ(Ask(server.address(), {"PUBLISH", "news", "x"}), "1");
  EXPECT_TRUE(subscription->Wait(RealMono() + kPatience));
}

}  // namespace
}  // namespace doublehold
