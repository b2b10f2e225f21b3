// Tests the effects of rules on frames between clients and a real redis-server.
#include <gtest/gtest.h>

#include <string>

#include "faults/proxy/proxy_fixture.h"

namespace doublehold {
namespace {

using testing::Encode;
using testing::Eventually;

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
  const MonoTime sent = RealMono();
  EXPECT_EQ(client.Call({"PING"}), "+PONG\r\n");
  EXPECT_GE(RealMono() - sent, 50ms);
  const RuleReport report = Clear(rule);
  EXPECT_EQ(report.frames, 1);
  EXPECT_GE(report.longest_delay, 50ms);
}

TEST_F(ProxyTest, ADelayedReplyBelongsToACommandThatHasRun) {
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
    const MonoTime sent = RealMono();
    client.Call({"PING"});
    EXPECT_GE(RealMono() - sent, 2ms);
  }
  const RuleReport report = Clear(rule);
  EXPECT_EQ(report.frames, 20);
  // Fails with probability 2^-20: all twenty delays below the mean.
  EXPECT_GT(report.longest_delay, 4ms);
}

TEST_F(ProxyTest, LaterFramesWaitBehindAHeldFrame) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kHold, .command = "SET"});
  client.Send(Encode({"SET", "k", "v"}) + Encode({"GET", "k"}));
  client.Send(Encode({"PING"}));
  EXPECT_TRUE(ActedOn(rule, 1));
  ByteClient other = Client();  // on another connection, which is not held up
  EXPECT_EQ(other.Call({"GET", "k"}), "$-1\r\n");
  EXPECT_EQ(client.ReceiveNow(), "");
  Clear(rule);
  EXPECT_EQ(client.ReceiveReply(), kOk);
  EXPECT_EQ(client.ReceiveReply(), "$1\r\nv\r\n");
  EXPECT_EQ(client.ReceiveReply(), "+PONG\r\n");
}

TEST_F(ProxyTest, AHeldRequestIsDeliveredAfterItsClientHasClosed) {
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

TEST_F(ProxyTest, ADroppedReplyLeavesTheKeySetAndLaterRepliesInOrder) {
  ByteClient client = Client();
  Set({.direction = Direction::kReply, .action = Action::kDrop, .command = "SET", .limit = 1});
  client.Send(Encode({"SET", "k", "v"}));
  EXPECT_EQ(client.Call({"GET", "k"}), "$1\r\nv\r\n");
  EXPECT_TRUE(Eventually([&] { return limits_reached_ == 1; }));
  EXPECT_EQ(client.Call({"SET", "k", "w"}), kOk);
  EXPECT_EQ(limits_reached_, 1);
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

TEST_F(ProxyTest, ABlackHoleDropsBothDirectionsAndKeepsTheConnection) {
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

TEST_F(ProxyTest, AResetRequestEndsBothSidesOfTheConnection) {
  ByteClient client = Client();
  Set({.action = Action::kReset, .command = "SET", .limit = 1});
  client.Send(Encode({"PING"}) + Encode({"SET", "k", "v"}) + Encode({"SET", "k", "w"}));
  EXPECT_EQ(client.ReceiveEnd(), ECONNRESET);
  EXPECT_TRUE(Eventually([&] { return limits_reached_ == 1; }));
  ByteClient again = Client();
  EXPECT_EQ(again.Call({"EXISTS", "k"}), ":0\r\n");
  EXPECT_EQ(connections(), 1u);
}

TEST_F(ProxyTest, AResetReplyBelongsToACommandThatHasRun) {
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
  EXPECT_EQ(limits_reached_, 0);
  second.Send(Encode({"GET", "k"}));
  EXPECT_EQ(second.Call({"PING"}), "+PONG\r\n");
  EXPECT_TRUE(Eventually([&] { return limits_reached_ == 1; }));
  EXPECT_EQ(second.Call({"GET", "k"}), "$-1\r\n");
}

TEST_F(ProxyTest, AHeldFrameCountsTowardsTheLimitOnceItIsForwarded) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDelay, .command = "SET", .delay = 100ms, .limit = 1});
  const MonoTime sent = RealMono();
  EXPECT_EQ(client.Call({"SET", "k", "v"}), kOk);
  EXPECT_TRUE(Eventually([&] { return limits_reached_ == 1; }));
  EXPECT_GE(RealMono() - sent, 100ms);
  EXPECT_GE(Clear(rule).longest_delay, 100ms);
}

TEST_F(ProxyTest, RemovingARuleReleasesItsFramesAndDoesNotCallOnLimitReached) {
  ByteClient client = Client();
  const RuleId rule = Set({.action = Action::kDelay, .delay = 3600s, .limit = 1});
  client.Send(Encode({"PING"}));
  EXPECT_TRUE(ActedOn(rule, 1));
  const RuleReport report = Clear(rule);
  EXPECT_EQ(report.frames, 1);
  EXPECT_GT(report.longest_delay, Duration{});
  EXPECT_EQ(client.ReceiveReply(), "+PONG\r\n");
  EXPECT_EQ(limits_reached_, 0);
}

TEST_F(ProxyTest, RulesAreTriedInTheOrderTheyWereSet) {
  ByteClient client = Client();
  const RuleId get =
      Set({.direction = Direction::kReply, .action = Action::kDelay, .command = "GET"});
  const RuleId all = Set({.direction = Direction::kReply, .action = Action::kDrop});
  client.Send(Encode({"PING"}));
  EXPECT_EQ(client.Call({"GET", "k"}), "$-1\r\n");
  EXPECT_EQ(Clear(get).frames, 1);
  EXPECT_EQ(Clear(all).frames, 1);
}

TEST_F(ProxyTest, ARuleCanSelectOneCommandOfAPipeline) {
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

TEST_F(ProxyTest, Resp3PushesAreNotReplies) {
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

}  // namespace
}  // namespace doublehold
