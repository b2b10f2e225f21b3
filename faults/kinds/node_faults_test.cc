// Faults that kill, restart, operate or promote nodes, against a fake cluster that only logs its
// calls.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faults/testing_cluster.h"

namespace doublehold {
namespace {

using testing::FaultTest;
using testing::Log;

TEST_F(FaultTest, CrashKillsItsNodesAndNotTheClientThatReachedTheStep) {
  Healer healer = Start({.kind = "crash", .on = Trigger{1, Step::kAfterRead}, .nodes = {2}});
  EXPECT_EQ(TakeLog(), Log{"kill node 2"});
  EXPECT_EQ(limits_reached_, 1);
}

TEST_F(FaultTest, RestartEndsWhenAllNodesAnswerAgain) {
  Healer healer =
      Start({.kind = "restart", .length = 300ms, .nodes = {1, 2}, .data = "aof-cut", .cut = 20ms});
  EXPECT_EQ(TakeLog(), (Log{"restart 1 after 300ms 3 20ms", "restart 2 after 300ms 3 20ms"}));
  cluster_.now += 310ms;
  cluster_.on_back[1]();
  EXPECT_EQ(limits_reached_, 0);
  cluster_.now += 5ms;
  cluster_.on_back[0]();
  EXPECT_EQ(limits_reached_, 1);
  cluster_.now += 5ms;
  EXPECT_EQ(healer.Heal(), ToNs(315ms));
}

TEST_F(FaultTest, ARestartDidNotActIfItIsHealedBeforeItsNodeAnswers) {
  Healer healer = Start({.kind = "restart", .nodes = {1}, .data = "empty"});
  EXPECT_EQ(healer.Heal(), 0);
  cluster_.on_back[0]();  // too late: it has no effect
}

Reply Integer(int64_t value) { return {.kind = Reply::Kind::kInteger, .integer = value}; }
Reply Text(std::string text) { return {.kind = Reply::Kind::kString, .text = std::move(text)}; }

TEST_F(FaultTest, OperatorCommandsThatChangeNothingDidNotAct) {
  for (const char* kind : {"flush", "delete-key"}) {
    Healer nothing = Start({.kind = kind, .nodes = {1, 2}, .key = "k"});
    cluster_.answers[0](Integer(0));
    EXPECT_EQ(limits_reached_, 0);
    cluster_.answers[1](tl::unexpected(CallFailure{.definite = true, .message = "gone"}));
    EXPECT_EQ(limits_reached_, 1);
    cluster_.now += 3ms;
    EXPECT_EQ(nothing.Heal(), 0) << kind;
    cluster_.answers.clear();
    Healer something = Start({.kind = kind, .nodes = {1, 2}, .key = "k"});
    cluster_.now += 3ms;
    cluster_.answers[0](Integer(0));
    cluster_.answers[1](Integer(1));
    EXPECT_EQ(something.Heal(), ToNs(3ms)) << kind;
    cluster_.answers.clear();
    limits_reached_ = 0;
  }
}

TEST_F(FaultTest, ForgetScriptsDidNotActIfNoScriptWasKnown) {
  for (const int known : {0, 3}) {
    Healer healer = Start({.kind = "forget-scripts", .nodes = {1}});
    cluster_.now += 2ms;
    cluster_.answers.at(0)(Text(fmt::format("a:1\r\nnumber_of_cached_scripts:{}\r\n", known)));
    cluster_.answers.at(1)(Reply{});
    EXPECT_EQ(TakeLog(), (Log{"1: INFO memory", "1: SCRIPT FLUSH"}));
    EXPECT_EQ(healer.Heal(), known > 0 ? ToNs(2ms) : 0);
    cluster_.answers.clear();
  }
}

class EvictTest : public FaultTest {
 protected:
  void Answer(const CallResult& result) {
    const auto answer = cluster_.answers.back();
    answer(result);
  }
  // Answers the commands up to the first filler, which evicts the key.
  Healer StartToTheEnd() {
    Healer healer = Start({.kind = "evict", .nodes = {1}, .key = "k"});
    Answer(Integer(1));
    Answer(Reply{});
    Answer(Text("used_memory:1000000\r\nevicted_keys:5\r\n"));
    Answer(Reply{});
    for (const int there : {1, 0}) {
      Answer(Reply{});
      Answer(Integer(there));
    }
    cluster_.now += 4ms;
    return healer;
  }
};

TEST_F(EvictTest, FillsTheNodeUntilTheKeyIsGoneAndCleansUp) {
  Healer healer = StartToTheEnd();
  Answer(Integer(1));              // one filler of two still exists
  Answer(Text("evicted_keys:7"));  // two keys were evicted: a filler and the lock's key
  EXPECT_EQ(limits_reached_, 1);
  TakeLog();
  EXPECT_EQ(healer.Heal(), ToNs(4ms));
  EXPECT_EQ(TakeLog(),
            (Log{"1: CONFIG SET maxmemory 0", "1: CONFIG SET maxmemory-policy noeviction",
                 "1: UNLINK doublehold:filler:1 doublehold:filler:2"}));
}

TEST_F(EvictTest, AKeyReleasedByItsHolderWasNotEvicted) {
  Healer healer = StartToTheEnd();
  Answer(Integer(1));
  Answer(Text("evicted_keys:6"));  // the filler was evicted, not the key
  EXPECT_EQ(limits_reached_, 1);
  EXPECT_EQ(healer.Heal(), 0);
}

TEST_F(EvictTest, WithoutTheKeyEvictDoesNotAct) {
  Healer healer = Start({.kind = "evict", .nodes = {1}, .key = "k"});
  Answer(Integer(0));
  EXPECT_EQ(limits_reached_, 1);
  TakeLog();
  EXPECT_EQ(healer.Heal(), 0);
  EXPECT_EQ(TakeLog(), Log{});
}

TEST_F(FaultTest, APromotionActedOnlyIfItSucceeded) {
  for (const bool done : {true, false}) {
    Healer healer = Start({.kind = "promote", .nodes = {2}, .how = "awaited"});
    EXPECT_EQ(TakeLog(), Log{"promote 2 awaited"});
    EXPECT_EQ(std::exchange(limits_reached_, 0), 0);
    cluster_.now += 1200ms;
    cluster_.promoted(done);
    EXPECT_EQ(std::exchange(limits_reached_, 0), 1);
    EXPECT_EQ(healer.Heal(), done ? ToNs(1200ms) : 0);
  }
}

TEST_F(FaultTest, ACrashOfNodesSparesTheClientWhoseStepStartsIt) {
  Healer healer = Start({.kind = "crash", .on = Trigger{1, Step::kAfterRead}, .nodes = {1, 2}});
  EXPECT_EQ(TakeLog(), (Log{"kill node 1", "kill node 2"}));
}

}  // namespace
}  // namespace doublehold
