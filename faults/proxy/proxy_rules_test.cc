// Tests duplicated commands, slow networks, and rules with `key` or `nth` on a real redis-server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "faults/proxy/proxy_fixture.h"

namespace doublehold {
namespace {

using testing::Encode;
using testing::Eventually;

TEST_F(ProxyTest, ADuplicatedCommandRunsTwiceAndGetsOneReply) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDuplicate, .command = "INCR", .limit = 1});
  EXPECT_EQ(client.Call({"INCR", "k"}), ":1\r\n");
  EXPECT_EQ(client.Call({"GET", "k"}), "$1\r\n2\r\n");
  EXPECT_EQ(client.Call({"INCR", "k"}), ":3\r\n");
  EXPECT_TRUE(Eventually([&] { return limits_reached_ == 1; }));
  EXPECT_EQ(Clear(rule).frames, 1);
}

TEST_F(ProxyTest, EveryCommandOfAPipelineCanBeDuplicated) {
  ByteClient client = Client();
  Set({.action = Action::kDuplicate});
  std::string pipeline;
  for (int i = 0; i < 200; ++i) pipeline += Encode({"INCR", "k"}) + "get k\r\n";
  client.Send(pipeline);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(client.ReceiveReply(), fmt::format(":{}\r\n", 2 * i + 1));
    const std::string value = std::to_string(2 * i + 2);
    EXPECT_EQ(client.ReceiveReply(), fmt::format("${}\r\n{}\r\n", value.size(), value));
  }
  EXPECT_EQ(client.ReceiveNow(), "");
}

TEST_F(ProxyTest, AnExecSentTwiceRunsItsTransactionOnce) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDuplicate});
  EXPECT_EQ(client.Call({"MULTI"}), kOk);
  EXPECT_EQ(client.Call({"INCR", "k"}), "+QUEUED\r\n");
  EXPECT_EQ(client.Call({"EXEC"}), "*1\r\n:1\r\n");
  EXPECT_EQ(Clear(rule).frames, 1);  // the proxy removes the error reply to the second EXEC
  EXPECT_EQ(client.Call({"GET", "k"}), "$1\r\n1\r\n");
}

TEST_F(ProxyTest, SubscribeIsNotDuplicated) {
  ByteClient client = Client();
  EXPECT_EQ(client.Call({"HELLO", "3"}).substr(0, 1), "%");
  const RuleId rule = Set({.action = Action::kDuplicate});
  EXPECT_EQ(client.Call({"SUBSCRIBE", "a"}).substr(0, 1), ">");
  const std::string message = ">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n";
  EXPECT_EQ(client.Call({"PUBLISH", "a", "x"}), message);
  EXPECT_EQ(client.ReceiveReply(), ":1\r\n");
  EXPECT_EQ(client.ReceiveReply(), message);  // published twice, one reply
  EXPECT_EQ(client.Call({"GET", "k"}), "_\r\n");
  EXPECT_EQ(Clear(rule).frames, 2);
}

TEST_F(ProxyTest, AfterClientReplyOffRepliesHaveNoNames) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDuplicate, .command = "INCR"});
  client.Send(Encode({"INCR", "k"}) + Encode({"CLIENT", "REPLY", "OFF"}) + Encode({"INCR", "k"}) +
              Encode({"client", "reply", "on"}) + Encode({"INCR", "k"}));
  EXPECT_EQ(client.ReceiveReply(), ":1\r\n");
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_EQ(client.ReceiveReply(), ":4\r\n");
  EXPECT_EQ(Clear(rule).frames, 1);
}

TEST_F(ProxyTest, ManyCommandsWithoutRepliesDoNotStopAConnection) {
  ByteClient client = Client();
  client.Send(Encode({"CLIENT", "REPLY", "OFF"}));
  std::string pipeline;
  for (int i = 0; i < 1000; ++i) pipeline += "INCR k\r\n";
  for (int i = 0; i < 70; ++i) ASSERT_TRUE(client.Send(pipeline));
  client.Send(Encode({"CLIENT", "REPLY", "ON"}));
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_EQ(client.Call({"GET", "k"}), "$5\r\n70000\r\n");
}

TEST_F(ProxyTest, ARuleByKeyFindsTheKeyOfAScript) {
  ByteClient client = Client();
  const std::string script = "return redis.call('incr', KEYS[1])";
  const std::string sha = client.Call({"SCRIPT", "LOAD", script}).substr(5, 40);
  const RuleId rule = Set({.direction = Direction::kReply, .action = Action::kDrop, .key = "b"});
  client.Send(Encode({"EVALSHA", sha, "1", "b", "x"}) + Encode({"EVAL", script, "1", "b"}) +
              Encode({"EVAL", "return ARGV[1]", "0", "b"}) + Encode({"SET", "b", "b"}));
  EXPECT_EQ(client.ReceiveReply(), "$1\r\nb\r\n");
  EXPECT_EQ(client.Call({"EVALSHA", sha, "1", "a"}), ":1\r\n");
  EXPECT_EQ(Clear(rule).frames, 3);
  EXPECT_EQ(client.Call({"GET", "b"}), "$1\r\nb\r\n");
}

TEST_F(ProxyTest, TheThirdSetOfALinkIsLost) {
  ByteClient client = Client();
  Set({.action = Action::kDrop, .command = "SET", .nth = 3, .limit = 1});
  for (const char* value : {"1", "2"}) EXPECT_EQ(client.Call({"SET", "k", value}), kOk);
  client.Send(Encode({"SET", "k", "3"}));
  EXPECT_EQ(client.Call({"GET", "k"}), "$1\r\n2\r\n");
  EXPECT_TRUE(Eventually([&] { return limits_reached_ == 1; }));
  EXPECT_EQ(client.Call({"SET", "k", "4"}), kOk);
}

// If the request is reset, the command never runs. If the reply is reset, the command has run, and
// its client cannot know that.
TEST_F(ProxyTest, AConnectionIsResetBeforeACommandOrAfterIt) {
  Set({.action = Action::kReset, .command = "INCR", .limit = 1});
  ByteClient before = Client();
  before.Send(Encode({"INCR", "k"}));
  EXPECT_EQ(before.ReceiveEnd(), ECONNRESET);
  EXPECT_TRUE(Eventually([&] { return connections() == 0; }));
  EXPECT_EQ(Direct().Call({"EXISTS", "k"}), ":0\r\n");
  Set({.direction = Direction::kReply, .action = Action::kReset, .command = "INCR", .limit = 1});
  ByteClient after = Client();
  after.Send(Encode({"INCR", "k"}));
  EXPECT_EQ(after.ReceiveEnd(), ECONNRESET);
  EXPECT_EQ(Direct().Call({"GET", "k"}), "$1\r\n1\r\n");
}

TEST_F(ProxyTest, DrippedFramesArriveAtThePaceAndComplete) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kPace, .bytes = 5, .gap = 4ms});
  const std::string command = Encode({"SET", "k", "v"});  // 27 bytes take 21.6 ms
  const MonoTime sent = RealMono();
  client.Send(command);
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_GE(RealMono() - sent, 21600us);
  const RuleReport report = Clear(rule);
  EXPECT_EQ(report.frames, 1);
  EXPECT_GE(report.longest_delay, 21600us);
}

TEST_F(ProxyTest, ANarrowNetworkSlowsALargeReply) {
  ByteClient client = Client();
  client.Call({"SET", "k", std::string(100'000, 'x')});
  Set({.direction = Direction::kReply, .action = Action::kPace, .bytes = 1000, .gap = 1ms});
  const MonoTime sent = RealMono();
  EXPECT_EQ(client.Call({"GET", "k"}).size(), 100'011u);
  EXPECT_GE(RealMono() - sent, 100ms);
}

TEST_F(ProxyTest, RepliesOfAnySizePassThroughALinkWithRules) {
  ByteClient direct = Direct();
  const std::string value(size_t{40} << 20, 'x');
  EXPECT_EQ(direct.Call({"SET", "k", value}), kOk);
  Set({.direction = Direction::kReply, .action = Action::kDelay, .command = "GET", .delay = 1ms});
  Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "PING"});
  ByteClient client = Client();
  client.Send(Encode({"GET", "k"}) + Encode({"PING"}) + Encode({"EXISTS", "k"}));
  const std::string reply = client.ReceiveReply();
  EXPECT_EQ(reply.size(), value.size() + 13);
  EXPECT_TRUE(reply.ends_with("xxx\r\n"));
  EXPECT_EQ(client.ReceiveReply(), ":1\r\n");
}

TEST_F(ProxyTest, FramesSentByteByByteMatchTheirRules) {
  ByteClient client = Client();
  Set({.action = Action::kDrop, .command = "SET", .key = "lost"});
  Set({.action = Action::kDuplicate, .command = "INCR"});
  const std::string stream = Encode({"SET", "lost", "v"}) + Encode({"SET", "kept", "v"}) +
                             "incr n\r\n" + Encode({"INCR", "n"}) + Encode({"EXISTS", "lost"});
  for (const char& byte : stream) client.Send({&byte, 1});
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_EQ(client.ReceiveReply(), ":1\r\n");
  EXPECT_EQ(client.ReceiveReply(), ":3\r\n");
  EXPECT_EQ(client.ReceiveReply(), ":0\r\n");
}

TEST_F(ProxyTest, AWatchSeesEachFrameAndLeavesItToTheRules) {
  std::vector<std::string> seen;  // written by the loop's thread
  const auto watch = [&](Direction direction, std::string command) {
    LinkRule rule{.direction = direction, .action = Action::kWatch, .command = std::move(command)};
    rule.seen = [&seen, direction](std::string_view name, bool is_lost) {
      seen.push_back((direction == Direction::kRequest ? ">" : "<") + std::string(name) +
                     (is_lost ? " lost" : ""));
    };
    return Set(rule);
  };
  const RuleId requests = watch(Direction::kRequest, "");
  const RuleId replies = watch(Direction::kReply, "");
  watch(Direction::kRequest, "GET");
  Set({.action = Action::kDuplicate, .command = "INCR"});
  Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "PING"});
  ByteClient client = Client();
  EXPECT_EQ(client.Call({"INCR", "k"}), ":1\r\n");
  client.Send(Encode({"PING"}) + Encode({"GET", "k"}));  // at once, before the reply to PING
  EXPECT_EQ(client.ReceiveReply(), Bulk("2"));
  EXPECT_EQ(
      OnLoop([&] { return seen; }),
      (std::vector<std::string>{">INCR", "<INCR", ">PING", ">GET", ">GET", "<PING lost", "<GET"}));
  EXPECT_EQ(Clear(requests).frames, 0);
  EXPECT_EQ(Clear(replies).frames, 0);
  EXPECT_EQ(client.Call({"INCR", "k"}), ":3\r\n");
  EXPECT_EQ(OnLoop([&] { return seen.size(); }), 7U);
}

}  // namespace
}  // namespace doublehold
