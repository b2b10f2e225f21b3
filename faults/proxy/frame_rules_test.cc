// Tests which frames a rule selects, duplicated commands, paces, and streams cut at every byte.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "faults/proxy/queue_fixture.h"
#include "lib/testing/case_name.h"

namespace doublehold {

void PrintTo(const LinkRule& rule, std::ostream* out) {
  *out << "action " << static_cast<int>(rule.action) << " on '" << rule.command << "'";
}

namespace {

using FrameRulesAction = LinkRule::Action;
using Spread = LinkRule::Spread;

std::string EncodeSet(std::string_view key) {
  return "*3\r\n$3\r\nSET\r\n$" + std::to_string(key.size()) + "\r\n" + std::string(key) +
         "\r\n$1\r\nv\r\n";
}

std::string Incr() { return "*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n"; }

TEST_F(FrameQueueTest, ARuleMayNameAKey) {
  Set({.action = FrameRulesAction::kDrop, .command = "SET", .key = "b"});
  requests_.Add(EncodeSet("a") + EncodeSet("b") + EncodeSet("c"), At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), EncodeSet("a") + EncodeSet("c"));
}

TEST_F(FrameQueueTest, AFrameWaitsForItsKeyWhenARuleNamesOne) {
  const auto rule = Set({.action = FrameRulesAction::kDrop, .key = "b"});
  const std::string frame = EncodeSet("b");
  for (const char c : frame) {
    requests_.Add({&c, 1}, At(0ms));
    EXPECT_EQ(Take(requests_, At(0ms)), "");
  }
  EXPECT_EQ(rule->report().frames, 1);
  EXPECT_EQ(wire_.outstanding(), 0u);
}

TEST_F(FrameQueueTest, AReplyHasTheKeyOfItsCommand) {
  requests_.Pass(EncodeSet("a") + EncodeSet("b"));  // before the rule is set
  Set({.direction = Direction::kReply, .action = FrameRulesAction::kDrop, .key = "b"});
  requests_.Add(EncodeSet("b") + EncodeSet("c"), At(0ms));
  replies_.Add("+A\r\n+B\r\n+B2\r\n+C\r\n", At(0ms));
  EXPECT_EQ(Take(replies_, At(0ms)), "+A\r\n+C\r\n");
}

TEST_F(FrameQueueTest, ARuleMayBeginAtTheNthOfItsFrames) {
  const auto third =
      Set({.action = FrameRulesAction::kDrop, .command = "SET", .key = "k", .nth = 3, .limit = 1});
  requests_.Add(EncodeSet("k") + Incr() + EncodeSet("other") + EncodeSet("k"), At(0ms));
  EXPECT_EQ(third->report().frames, 0);
  Take(requests_, At(0ms));
  requests_.Add(EncodeSet("k") + EncodeSet("k"), At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), EncodeSet("k"));
  EXPECT_EQ(third->report().frames, 1);
  EXPECT_EQ(limits_reached(), 1);
}

TEST_F(FrameQueueTest, AFrameThatAnotherRuleMatchesCountsTowardsNth) {
  Set({.action = FrameRulesAction::kDelay, .command = "SET", .delay = 1ms, .limit = 2});
  const auto third = Set({.action = FrameRulesAction::kDrop, .command = "SET", .nth = 3});
  requests_.Add(EncodeSet("a") + EncodeSet("b") + EncodeSet("c"), At(0ms));
  EXPECT_EQ(Take(requests_, At(1ms)), EncodeSet("a") + EncodeSet("b"));
  EXPECT_EQ(third->report().frames, 1);
}

TEST_F(FrameQueueTest, ChanceIsDrawnFromTheSeed) {
  std::vector<std::string> passed;
  for (int round = 0; round < 2; ++round) {
    LinkRules rules;
    RedisWire wire;
    const auto rule = std::make_shared<ActiveRule>(
        io_, 1, LinkRule{.action = FrameRulesAction::kDrop, .chance = 0.25}, Prng(5, "rule", 1));
    rules.Add(rule);
    FrameQueue queue(Direction::kRequest, rules, wire);
    for (int i = 0; i < 1000; ++i) queue.Add(EncodeSet(std::to_string(i)), At(0ms));
    passed.push_back(Take(queue, At(0ms)));
    EXPECT_NEAR(static_cast<double>(rule->report().frames), 250, 60);
  }
  EXPECT_EQ(passed[0], passed[1]);
}

TEST_F(FrameQueueTest, ASpreadHasItsMeanAndItsBounds) {
  struct Case {
    Spread spread;
    Duration least, most, mean;
  };
  const Case cases[] = {{Spread::kUniform, 8ms, 12ms, 10ms},
                        {Spread::kNormal, 4ms, 16ms, 10ms},
                        {Spread::kPareto, 10ms, 50ms, 11800us}};
  for (const Case& c : cases) {
    const LinkRule spec{.delay = 10ms, .jitter = 2ms, .spread = c.spread};
    ActiveRule rule(io_, 1, spec, Prng(1, "rule"));
    Duration sum{};
    for (int i = 0; i < 20'000; ++i) {
      const Duration drawn = rule.DrawDelay();
      EXPECT_TRUE(drawn >= c.least && drawn <= c.most) << drawn.count();
      sum += drawn;
    }
    EXPECT_LE(std::abs((sum / 20'000 - c.mean).count()), Duration(200us).count());
    EXPECT_EQ(LongestDelay(spec), c.most);
  }
}

TEST_F(FrameQueueTest, ADuplicateFollowsItsFrameAndItsReplyIsRemoved) {
  const auto rule = Set({.action = FrameRulesAction::kDuplicate, .command = "INCR", .limit = 1});
  requests_.Add(EncodeSet("k") + Incr() + EncodeSet("x"), At(0ms));
  EXPECT_EQ(limits_reached(), 0);
  EXPECT_EQ(Take(requests_, At(0ms)), EncodeSet("k") + Incr() + Incr() + EncodeSet("x"));
  EXPECT_EQ(limits_reached(), 1);
  EXPECT_EQ(rule->report().frames, 1);
  EXPECT_FALSE(replies_.idle());
  replies_.Add("+OK\r\n:1\r\n:2\r\n+OK\r\n", At(0ms));
  EXPECT_EQ(Take(replies_, At(0ms)), "+OK\r\n:1\r\n+OK\r\n");
  EXPECT_TRUE(replies_.idle());
  requests_.Add(Incr(), At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), Incr());
}

TEST_F(FrameQueueTest, ARuleOnRepliesIgnoresTheSurplusReply) {
  Set({.action = FrameRulesAction::kDuplicate, .limit = 1});
  const auto held = Set({.direction = Direction::kReply, .action = FrameRulesAction::kHold});
  requests_.Add(Incr(), At(0ms));
  replies_.Add(":1\r\n:2\r\n", At(0ms));
  EXPECT_EQ(held->report().frames, 1);
  Clear(held, At(1ms));
  EXPECT_EQ(Take(replies_, At(1ms)), ":1\r\n");
}

TEST_F(FrameQueueTest, CommandsThatCannotBeRepeatedPassOnce) {
  const auto rule = Set({.action = FrameRulesAction::kDuplicate, .limit = 1});
  const std::string once =
      "SUBSCRIBE a\r\nCLIENT SETNAME x\r\nMULTI\r\nINCR k\r\n" + std::string("DISCARD\r\n");
  requests_.Add(once, At(0ms));
  // DISCARD ends the transaction, so it can be duplicated.
  EXPECT_EQ(Take(requests_, At(0ms)), once + "DISCARD\r\n");
  EXPECT_EQ(rule->report().frames, 1);
}

TEST_F(FrameQueueTest, ACommandTooLargeToKeepIsSentOnce) {
  const auto rule = Set({.action = FrameRulesAction::kDuplicate, .limit = 1});
  const std::string head = "*2\r\n$4\r\nECHO\r\n$2000000\r\n";
  requests_.Add(head, At(0ms));
  EXPECT_EQ(rule->report().frames, 1);
  requests_.Add(std::string(2'000'000, 'x') + "\r\n", At(0ms));
  EXPECT_EQ(rule->report().frames, 0);
  EXPECT_EQ(Take(requests_, At(0ms)).size(), head.size() + 2'000'002);
  EXPECT_EQ(wire_.surplus(), 0u);
  requests_.Add(Incr(), At(0ms));  // the large command did not count towards the limit
  EXPECT_EQ(Take(requests_, At(0ms)), Incr() + Incr());
}

TEST_F(FrameQueueTest, AFrameCutOffByTheEndOfItsConnectionIsNotDuplicated) {
  const auto rule = Set({.action = FrameRulesAction::kDuplicate, .limit = 1});
  requests_.Add(Incr().substr(0, 18), At(0ms));
  requests_.EndOfStream(At(0ms));
  EXPECT_EQ(Take(requests_, At(0ms)), Incr().substr(0, 18));
  EXPECT_EQ(rule->report().frames, 0);
  EXPECT_EQ(limits_reached(), 0);
}

TEST_F(FrameQueueTest, APaceForwardsItsBytesOnceEveryGap) {
  const auto rule = Set({.action = FrameRulesAction::kPace, .bytes = 10, .gap = 5ms});
  requests_.Add(EncodeSet("k"), At(0ms));  // 27 bytes
  EXPECT_EQ(requests_.NextDue(), At(5ms));
  EXPECT_EQ(Take(requests_, At(4999us)), "");
  EXPECT_EQ(Take(requests_, At(5ms)), EncodeSet("k").substr(0, 10));
  EXPECT_EQ(requests_.NextDue(), At(10ms));
  EXPECT_EQ(Take(requests_, At(9999us)), "");
  EXPECT_EQ(Take(requests_, At(12ms)), EncodeSet("k").substr(10, 10));
  EXPECT_EQ(requests_.NextDue(), At(13500us));  // the last seven bytes take their share of a gap
  requests_.Add(EncodeSet("x"), At(13ms));
  EXPECT_EQ(Take(requests_, At(13500us)), EncodeSet("k").substr(20));
  // The pace of this frame begins after the previous frame, not at its own arrival.
  EXPECT_EQ(requests_.NextDue(), At(18500us));
  Clear(rule, At(14ms));
  EXPECT_EQ(Take(requests_, At(14ms)), EncodeSet("x"));
}

TEST_F(FrameQueueTest, FramesSmallerThanThePacesBytesKeepThePaceOnAverage) {
  Set({.action = FrameRulesAction::kPace, .bytes = 1000, .gap = 1ms});
  std::string stream;
  for (int i = 0; i < 100; ++i) stream += EncodeSet("k");
  for (int i = 0; i < 100; ++i) requests_.Add(EncodeSet("k"), At(0ms));
  const auto takes = Duration(1us) * static_cast<int64_t>(stream.size());
  EXPECT_LT(Take(requests_, At(takes - 1us)).size(), stream.size());
  EXPECT_FALSE(requests_.empty());
  Take(requests_, At(takes));
  EXPECT_TRUE(requests_.empty());
}

// ---- streams cut at every byte ------------------------------------------------------------------

struct Stream {
  std::string requests;
  std::string replies;
};

// Has inline and pipelined commands, subscriptions, pushes, nested and empty replies.
Stream MakeStreamOfAllKinds() {
  return {"PING\r\n" + EncodeSet("a") + "get  b \n" + Incr() +
              "*5\r\n$7\r\nevalsha\r\n$2\r\nab\r\n$1\r\n1\r\n$1\r\nb\r\n$4\r\n*1\r\n\r\n" +
              "\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n$1\r\nb\r\n" + EncodeSet("b") +
              "MULTI\r\nINCR k\r\nEXEC\r\n",
          "+PONG\r\n+OK\r\n$7\r\na\r\nb\r\nc\r\n:1\r\n*2\r\n*2\r\n:1\r\n*1\r\n+x\r\n*0\r\n"
          "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n"
          "*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n+OK\r\n+OK\r\n+QUEUED\r\n*1\r\n$-1\r\n"};
}

struct Outcome {
  std::string requests;
  std::string replies;
  std::vector<int64_t> frames;  // number of frames on which each rule acted
  bool operator==(const Outcome&) const = default;
};

using Cut = std::function<std::vector<std::string_view>(std::string_view)>;

Outcome SendThroughRules(const std::vector<LinkRule>& specs, const Stream& stream, const Cut& cut) {
  boost::asio::io_context io;
  LinkRules rules;
  RedisWire wire;
  std::vector<std::shared_ptr<ActiveRule>> active;
  for (const LinkRule& spec : specs) {
    active.push_back(
        std::make_shared<ActiveRule>(io, active.size() + 1, spec, Prng(1, "rule", active.size())));
    rules.Add(active.back());
  }
  FrameQueue requests(Direction::kRequest, rules, wire);
  FrameQueue replies(Direction::kReply, rules, wire);
  const auto carry = [&](FrameQueue& queue, std::string_view bytes) {
    MonoTime now = At(0ms);
    std::string out;
    for (const std::string_view chunk : cut(bytes)) {
      queue.Add(chunk, now);
      now += 1ms;
      const std::string_view due = queue.Due(now);
      out += due;
      queue.Sent(due.size(), now);
    }
    const std::string_view due = queue.Due(At(3600s));
    out += due;
    queue.Sent(due.size(), At(3600s));
    EXPECT_TRUE(queue.empty());
    return out;
  };
  Outcome outcome;
  outcome.requests = carry(requests, stream.requests);
  outcome.replies = carry(replies, stream.replies);
  for (const auto& rule : active) outcome.frames.push_back(rule->report().frames);
  return outcome;
}

class Cutting : public ::testing::TestWithParam<std::vector<LinkRule>> {};

// NOLINTNEXTLINE
INSTANTIATE_TEST_SUITE_P(
    FrameQueue, Cutting,
    ::testing::Values(
        std::vector<LinkRule>{{.action = FrameRulesAction::kDelay, .delay = 3ms}},
        std::vector<LinkRule>{
            {.action = FrameRulesAction::kDrop, .key = "b"},
            {.direction = Direction::kReply, .action = FrameRulesAction::kDrop, .key = "a"}},
        std::vector<LinkRule>{{.action = FrameRulesAction::kDrop, .command = "SET", .nth = 2},
                              {.action = FrameRulesAction::kDelay, .command = "GET", .delay = 2ms},
                              {.direction = Direction::kReply,
                               .action = FrameRulesAction::kDrop,
                               .command = "MESSAGE"}},
        std::vector<LinkRule>{{.action = FrameRulesAction::kPace, .bytes = 3, .gap = 100us},
                              {.direction = Direction::kReply,
                               .action = FrameRulesAction::kPace,
                               .bytes = 1,
                               .gap = 100us}},
        std::vector<LinkRule>{{.action = FrameRulesAction::kDuplicate, .key = "b"},
                              {.direction = Direction::kReply,
                               .action = FrameRulesAction::kDelay,
                               .command = "EXEC",
                               .delay = 5ms}},
        std::vector<LinkRule>{
            {.action = FrameRulesAction::kDrop, .chance = 0.5},
            {.direction = Direction::kReply, .action = FrameRulesAction::kDrop, .chance = 0.5}}),
    testing::CaseName());

std::vector<std::string_view> CutNowhere(std::string_view bytes) { return {bytes}; }

std::vector<std::string_view> CutAtEveryByte(std::string_view bytes) {
  std::vector<std::string_view> cut;
  for (size_t i = 0; i < bytes.size(); ++i) cut.push_back(bytes.substr(i, 1));
  return cut;
}

TEST_P(Cutting, CuttingTheStreamDoesNotChangeTheOutcome) {
  const Stream stream = MakeStreamOfAllKinds();
  const Outcome whole = SendThroughRules(GetParam(), stream, CutNowhere);
  EXPECT_GT(whole.frames.front(), 0);
  EXPECT_EQ(SendThroughRules(GetParam(), stream, CutAtEveryByte), whole);
  const size_t longest = std::max(stream.requests.size(), stream.replies.size());
  for (size_t at = 1; at < longest; ++at) {
    const auto in_two = [at](std::string_view bytes) {
      return at >= bytes.size()
                 ? std::vector<std::string_view>{bytes}
                 : std::vector<std::string_view>{bytes.substr(0, at), bytes.substr(at)};
    };
    ASSERT_EQ(SendThroughRules(GetParam(), stream, in_two), whole) << "cut at " << at;
  }
}

TEST(FrameQueue, RulesThatOnlyDelayChangeNoByte) {
  const Stream stream = MakeStreamOfAllKinds();
  const std::vector<LinkRule> rules{
      {.action = FrameRulesAction::kDelay, .command = "SET", .delay = 2ms, .jitter = 2ms},
      {.action = FrameRulesAction::kPace, .bytes = 2, .gap = 100us},
      {.direction = Direction::kReply,
       .action = FrameRulesAction::kDelay,
       .delay = 1ms,
       .jitter = 1ms}};
  const Outcome outcome = SendThroughRules(rules, stream, CutAtEveryByte);
  EXPECT_EQ(outcome.requests, stream.requests);
  EXPECT_EQ(outcome.replies, stream.replies);
}

}  // namespace
}  // namespace doublehold
