// Tests the effects of rules on frames, in virtual time and without sockets.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/proxy/queue_fixture.h"

namespace doublehold {
namespace {

using FrameQueueAction = LinkRule::Action;

constexpr std::string_view kSet = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
constexpr std::string_view kGet = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";

TEST_F(FrameQueueTest, ADelayedFrameIsDueAfterItsDelayAndDelaysLaterFrames) {
  Set({.action = FrameQueueAction::kDelay, .command = "SET", .delay = 5ms});
  requests_.Add(std::string(kSet) + std::string(kGet), At(1ms));
  EXPECT_EQ(Take(requests_, At(5999us)), "");
  EXPECT_EQ(requests_.NextDue(), At(6ms));
  EXPECT_EQ(Take(requests_, At(6ms)), std::string(kSet) + std::string(kGet));
  EXPECT_TRUE(requests_.empty());
  EXPECT_EQ(requests_.NextDue(), std::nullopt);
}

TEST_F(FrameQueueTest, ALaterFrameNeverOvertakesAnEarlierOne) {
  const auto slow = Set({.action = FrameQueueAction::kDelay, .command = "SET", .delay = 10ms});
  Set({.action = FrameQueueAction::kDelay, .command = "GET", .delay = 1ms});
  requests_.Add(kSet, At(0ms));
  requests_.Add(kGet, At(1ms));
  EXPECT_EQ(Take(requests_, At(5ms)), "");
  EXPECT_EQ(Take(requests_, At(10ms)), std::string(kSet) + std::string(kGet));
  EXPECT_EQ(slow->report().longest_delay, 10ms);
}

TEST_F(FrameQueueTest, AFrameWaitsUntilItsNameIsKnown) {
  Set({.action = FrameQueueAction::kDrop, .command = "SET", .limit = 1});
  for (const char c : kSet) requests_.Add({&c, 1}, At(0ms));
  EXPECT_TRUE(requests_.empty());
  EXPECT_EQ(limits_reached(), 1);
  for (const char c : kSet) requests_.Add({&c, 1}, At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), kSet);
}

TEST_F(FrameQueueTest, EachByteOfAFrameIsDelayedFromItsOwnArrival) {
  Set({.action = FrameQueueAction::kDelay, .delay = 5ms});
  requests_.Add(kSet.substr(0, 6), At(1ms));  // too short for the name
  requests_.Add(kSet.substr(6, 10), At(2ms));
  requests_.Add(kSet.substr(16), At(4ms));
  EXPECT_EQ(Take(requests_, At(5999us)), "");
  EXPECT_EQ(Take(requests_, At(6ms)), kSet.substr(0, 6));
  EXPECT_EQ(Take(requests_, At(8ms)), kSet.substr(6, 10));
  EXPECT_EQ(Take(requests_, At(9ms)), kSet.substr(16));
}

TEST_F(FrameQueueTest, AHeldFrameIsDueWhenItsRuleIsRemoved) {
  const auto rule = Set({.action = FrameQueueAction::kHold, .limit = 1});
  requests_.Add(kSet.substr(0, 20), At(0ms));
  EXPECT_EQ(requests_.NextDue(), std::nullopt);
  Clear(rule, At(7ms));
  EXPECT_EQ(Take(requests_, At(7ms)), kSet.substr(0, 20));
  requests_.Add(kSet.substr(20), At(8ms));  // the rest of the frame is not held
  EXPECT_EQ(Take(requests_, At(8ms)), kSet.substr(20));
  EXPECT_EQ(rule->report().longest_delay, 7ms);
  EXPECT_EQ(limits_reached(), 0);  // on_limit_reached is not called after the removal
}

TEST_F(FrameQueueTest, ADroppedFrameIsDroppedToItsEndEvenWhenTheRuleIsRemoved) {
  const auto rule = Set({.action = FrameQueueAction::kDrop});
  requests_.Add(kSet.substr(0, 20), At(0ms));
  Clear(rule, At(0ms));
  EXPECT_FALSE(requests_.idle());
  requests_.Add(std::string(kSet.substr(20)) + std::string(kGet), At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), kGet);
  EXPECT_TRUE(requests_.idle());
  EXPECT_EQ(wire_.outstanding(), 1u);  // the GET: a dropped command gets no reply
}

TEST_F(FrameQueueTest, AFrameThatHasBegunToPassIsPassedToItsEnd) {
  requests_.Pass(kSet.substr(0, 6));
  Set({.action = FrameQueueAction::kDrop});
  requests_.Add(kSet.substr(6), At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), kSet.substr(6));
  EXPECT_EQ(wire_.outstanding(), 1u);
  requests_.Add(kSet, At(0ms));
  EXPECT_TRUE(requests_.empty());
}

TEST_F(FrameQueueTest, AReplyBelongsToItsCommand) {
  const auto rule =
      Set({.direction = Direction::kReply, .action = FrameQueueAction::kDrop, .command = "GET"});
  requests_.Add(std::string(kSet) + std::string(kGet) + std::string(kSet), At(0ms));
  replies_.Add("+OK\r\n$1\r\nv\r\n+KO\r\n", At(0ms));
  EXPECT_EQ(Take(replies_, At(0ms)), "+OK\r\n+KO\r\n");
  EXPECT_EQ(rule->report().frames, 1);
}

TEST_F(FrameQueueTest, AResetWaitsForEarlierFramesAndDropsLaterOnes) {
  const auto delay = Set({.action = FrameQueueAction::kDelay, .command = "SET", .delay = 5ms});
  Set({.action = FrameQueueAction::kReset, .command = "GET", .limit = 1});
  requests_.Add(std::string(kSet) + std::string(kGet) + std::string(kSet), At(0ms));
  EXPECT_TRUE(requests_.full());
  EXPECT_EQ(delay->report().frames, 1);
  EXPECT_FALSE(requests_.ResetDue(At(5ms)));
  EXPECT_EQ(Take(requests_, At(5ms)), kSet);
  EXPECT_TRUE(requests_.ResetDue(At(5ms)));
  EXPECT_EQ(limits_reached(), 0);
  requests_.Discard();
  EXPECT_EQ(limits_reached(), 1);
}

TEST_F(FrameQueueTest, OnLimitReachedIsCalledOnceAfterTheLastByteOfTheLastFrame) {
  Set({.action = FrameQueueAction::kDelay, .delay = 1ms, .limit = 2});
  requests_.Add(std::string(kSet) + std::string(kSet) + std::string(kGet), At(0ms));
  std::string bytes(requests_.Due(At(1ms)));
  EXPECT_EQ(bytes.size(), 2 * kSet.size() + kGet.size());
  requests_.Sent(2 * kSet.size() - 1, At(1ms));
  EXPECT_EQ(limits_reached(), 0);
  requests_.Sent(1, At(1ms));
  EXPECT_EQ(limits_reached(), 1);
  requests_.Sent(kGet.size(), At(1ms));
  EXPECT_EQ(limits_reached(), 1);
}

TEST_F(FrameQueueTest, AFrameLostWithItsConnectionCountsTowardsTheLimit) {
  Set({.action = FrameQueueAction::kHold, .limit = 2});
  requests_.Add(kSet, At(0ms));
  requests_.Add(kGet.substr(0, 15), At(0ms));
  requests_.Discard();
  EXPECT_EQ(limits_reached(), 1);
}

TEST_F(FrameQueueTest, AtTheEndOfTheStreamAnUnfinishedFramePasses) {
  Set({.action = FrameQueueAction::kDelay, .delay = 1ms, .limit = 1});
  requests_.Add(kSet.substr(0, 6), At(0ms));
  EXPECT_EQ(Take(requests_, At(1ms)), "");
  requests_.EndOfStream(At(2ms));
  EXPECT_EQ(Take(requests_, At(2ms)), kSet.substr(0, 6));
}

TEST_F(FrameQueueTest, AtTheEndOfTheStreamAnUnfinishedFrameCountsTowardsTheLimit) {
  Set({.action = FrameQueueAction::kDelay, .delay = 1ms, .limit = 1});
  requests_.Add(kSet.substr(0, 20), At(0ms));
  requests_.EndOfStream(At(0ms));
  EXPECT_EQ(limits_reached(), 0);
  Take(requests_, At(1ms));
  EXPECT_EQ(limits_reached(), 1);
}

TEST_F(FrameQueueTest, AnEmptyLineDoesNotCountTowardsALimit) {
  const auto rule = Set({.action = FrameQueueAction::kDrop, .limit = 1});
  requests_.Add("\r\n*0\r\n", At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), "\r\n*0\r\n");
  EXPECT_EQ(rule->report().frames, 0);
  EXPECT_EQ(wire_.outstanding(), 0u);
}

TEST_F(FrameQueueTest, AStreamThatIsNotRespObeysRulesForEveryFrame) {
  const auto named = Set({.action = FrameQueueAction::kDrop, .command = "GET"});
  const auto all = Set({.action = FrameQueueAction::kHold});
  requests_.Add("*1\r\nnonsense\r\n", At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), "");
  Clear(all, At(1ms));
  EXPECT_EQ(Take(requests_, At(1ms)), "*1\r\nnonsense\r\n");
  EXPECT_EQ(all->report().frames, 1);
  EXPECT_EQ(named->report().frames, 0);
}

TEST_F(FrameQueueTest, IsFullAtItsLimitOfBytes) {
  Set({.action = FrameQueueAction::kHold});
  requests_.Add("*2\r\n$4\r\nECHO\r\n$2000000\r\n", At(0ms));
  EXPECT_FALSE(requests_.full());
  requests_.Add(std::string(FrameQueue::kMaxPendingBytes, 'x'), At(0ms));
  EXPECT_TRUE(requests_.full());
}

TEST_F(FrameQueueTest, EqualSeedsDrawEqualJitter) {
  std::vector<MonoTime> due;
  for (int round = 0; round < 2; ++round) {
    LinkRules rules;
    rules.Add(std::make_shared<ActiveRule>(
        io_, 1, LinkRule{.action = FrameQueueAction::kDelay, .delay = 5ms, .jitter = 5ms},
        Prng(9, "jitter")));
    FrameQueue queue(Direction::kRequest, rules, wire_);
    for (int i = 0; i < 50; ++i) {
      queue.Add(kGet, At(0ms));
      due.push_back(*queue.NextDue());
      EXPECT_LE(due.back(), At(10ms));
      Take(queue, At(1s));
    }
  }
  EXPECT_EQ(std::vector(due.begin(), due.begin() + 50), std::vector(due.begin() + 50, due.end()));
  EXPECT_NE(due[0], due[1]);
}

TEST_F(FrameQueueTest, AfterPsyncEachChunkInEitherDirectionIsAReplicationFrame) {
  const std::string ping = "*1\r\n$4\r\nPING\r\n";
  const std::string psync = "*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n";
  requests_.Add(ping + psync, At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), ping + psync);
  replies_.Add("+PONG\r\n+FULLRESYNC 8 0\r\n", At(1ms));
  // A dump in two chunks, without a line end after it, then the replication stream.
  for (const std::string_view chunk : {"$1000\r\nREDIS", "0009", "*1\r\n$4\r\nPI"}) {
    replies_.Add(chunk, At(1ms));
  }
  EXPECT_EQ(Take(replies_, At(1ms)),
            "+PONG\r\n+FULLRESYNC 8 0\r\n$1000\r\nREDIS0009*1\r\n$4\r\nPI");
  Set({.direction = Direction::kReply, .action = FrameQueueAction::kDrop, .command = "PSYNC"});
  Set({.action = FrameQueueAction::kDrop, .command = "PSYNC"});
  replies_.Add("NG\r\n", At(2ms));
  requests_.Add("*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$1\r\n0\r\n", At(2ms));
  EXPECT_EQ(Take(replies_, At(2ms)), "");
  EXPECT_EQ(Take(requests_, At(2ms)), "");
}

}  // namespace
}  // namespace doublehold
