// Each kind of fault against a cluster that only writes down what it was told.
#include "faults/fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace doublehold {
namespace {

using Log = std::vector<std::string>;

std::string Write(ProcessRef process) {
  return fmt::format("{} {}", process.kind == ProcessRef::Kind::kClient ? "client" : "node",
                     process.number);
}

std::string Write(const LinkRule& rule) {
  const char* actions[] = {"delay", "hold", "drop", "reset", "duplicate", "pace"};
  std::string text = rule.direction == Direction::kRequest ? "request " : "reply ";
  text += actions[static_cast<size_t>(rule.action)];
  if (!rule.command.empty()) text += " " + rule.command;
  if (!rule.key.empty()) text += " key " + rule.key;
  if (rule.nth > 1) text += fmt::format(" from {}", rule.nth);
  if (rule.chance < 1) text += fmt::format(" chance {}", rule.chance);
  if (rule.bytes > 0)
    text += fmt::format(" {} bytes every {}", rule.bytes, FormatDuration(rule.gap));
  if (rule.delay > Duration{}) text += " " + FormatDuration(rule.delay);
  if (rule.jitter > Duration{}) text += "+-" + FormatDuration(rule.jitter);
  if (rule.spread == LinkRule::Spread::kNormal) text += " normal";
  if (rule.spread == LinkRule::Spread::kPareto) text += " pareto";
  if (rule.limit > 0) text += fmt::format(" x{}", rule.limit);
  return text;
}

class FakeCluster : public Cluster {
 public:
  MonoTime Now() override { return now; }
  RuleId SetLink(LinkId link, LinkRule rule) override {
    log.push_back(fmt::format("{}-{} {}", link.client, link.node, Write(rule)));
    rules[++last] = std::move(rule);
    return last;
  }
  RuleReport ClearLink(RuleId rule) override {
    log.push_back(fmt::format("clear {}", rule));
    EXPECT_EQ(rules.erase(rule), 1u);
    return {.frames = 1, .longest_delay = Duration(rule)};
  }
  void Pause(ProcessRef process) override { log.push_back("pause " + Write(process)); }
  void Resume(ProcessRef process) override { log.push_back("resume " + Write(process)); }
  void Kill(ProcessRef process) override { log.push_back("kill " + Write(process)); }
  void Restart(int node, NodeRestart how) override {
    log.push_back(fmt::format("restart {} after {} {} {}", node, FormatDuration(how.down),
                              static_cast<int>(how.remains), FormatDuration(how.cut)));
    on_back.push_back(std::move(how.on_back));
  }
  void Operate(int node, std::vector<std::string> command,
               std::function<void(CallResult)> answer) override {
    for (std::string& word : command) word = word.substr(0, 40);
    log.push_back(fmt::format("{}: {}", node, fmt::join(command, " ")));
    answers.push_back(std::move(answer));
  }
  SkewId Skew(ProcessRef process, const ClockSkew& skew) override {
    std::string line = fmt::format("skew {}", Write(process));
    if (skew.offset != Duration{}) line += fmt::format(" by {}ms", ToMs(skew.offset));
    if (skew.rate != 1.0) line += fmt::format(" rate {}", skew.rate);
    if (skew.swing != Duration{}) {
      line += fmt::format(" swing {}ms every {}", ToMs(skew.swing), FormatDuration(skew.period));
    }
    log.push_back(std::move(line));
    skews[++last_skew] = process;
    return last_skew;
  }
  std::optional<Duration> ObservedSkew(SkewId skew) override {
    const auto found = observed.find(skews.at(skew));
    return found == observed.end() ? std::nullopt : std::optional(found->second);
  }
  void Unskew(SkewId skew) override {
    log.push_back("unskew " + Write(skews.at(skew)));
    skews.erase(skew);
  }
  void CutReplication(int node) override { log.push_back(fmt::format("cut {}", node)); }
  int64_t MendReplication(int node) override {
    log.push_back(fmt::format("mend {}", node));
    return lost_chunks;
  }
  void Promote(int node, Promotion how, std::function<void(bool)> done) override {
    const char* ways[] = {"by hand", "planned", "awaited"};
    log.push_back(fmt::format("promote {} {}", node, ways[static_cast<size_t>(how)]));
    promoted = std::move(done);
  }
  void Detain(int client) override { log.push_back(fmt::format("detain {}", client)); }
  void LetGo(int client) override { log.push_back(fmt::format("let go {}", client)); }

  // What a proxy does after the last frame of a rule.
  void Spend(RuleId rule) { std::exchange(rules.at(rule).on_spent, nullptr)(); }

  MonoTime now{};
  Log log;
  RuleId last = 0;
  std::map<RuleId, LinkRule> rules;
  std::map<ProcessRef, Duration> observed;
  int64_t lost_chunks = 1;
  std::function<void(bool)> promoted;
  std::vector<std::function<void()>> on_back;
  std::vector<std::function<void(CallResult)>> answers;  // of Operate, in turn
  std::map<SkewId, ProcessRef> skews;
  SkewId last_skew = 0;
};

class FaultTest : public ::testing::Test {
 protected:
  // Starts it in a run of 2 clients and 2 nodes; `client` as a supervisor resolves it.
  Healer Start(const FaultPlan& plan) {
    const FaultEntry* entry = FindFault(plan.kind);
    EXPECT_TRUE(entry->validate(plan)) << entry->validate(plan).error().message;
    return entry->start(cluster_,
                        {.plan = plan,
                         .client = plan.client.value_or(plan.on ? 1 : 0),
                         .clients = 2,
                         .nodes = 2,
                         .on_spent = [this] { ++spent_; }},
                        prng_);
  }
  Log Told() { return std::exchange(cluster_.log, {}); }

  FakeCluster cluster_;
  Prng prng_{1, "faults"};
  int spent_ = 0;
};

TEST_F(FaultTest, PauseStopsAndContinuesAndMeasuresTheTimeBetween) {
  Healer healer = Start({.kind = "pause", .client = 2});
  EXPECT_EQ(Told(), Log{"pause client 2"});
  cluster_.now += 803ms;
  EXPECT_EQ(healer.Heal(), ToNs(803ms));
  EXPECT_EQ(Told(), Log{"resume client 2"});
}

TEST_F(FaultTest, PauseOfNodesLeavesTheClientThatReachedTheStepAlone) {
  Healer healer = Start({.kind = "pause", .on = Trigger{1, Step::kAfterRead}, .nodes = {0, 2}});
  EXPECT_EQ(Told(), (Log{"pause node 0", "pause node 2"}));
}

TEST_F(FaultTest, PauseOfClientZeroStopsEveryClient) {
  Healer healer = Start({.kind = "pause", .client = 0});
  EXPECT_EQ(Told(), (Log{"pause client 1", "pause client 2"}));
}

TEST_F(FaultTest, AHealerHealsOnceAndAtTheLatestWhenItGoes) {
  {
    Healer first = Start({.kind = "pause", .client = 1});
    Healer second = std::move(first);
    Told();
    EXPECT_EQ(first.Heal(), 0);  // NOLINT: a healer that was moved from heals nothing
    EXPECT_EQ(Told(), Log{});
    second.Heal();
    EXPECT_EQ(Told(), Log{"resume client 1"});
    EXPECT_EQ(second.Heal(), 0);
    second = Start({.kind = "pause", .client = 2});
    EXPECT_EQ(Told(), Log{"pause client 2"});
    second = Start({.kind = "pause", .client = 1});
    EXPECT_EQ(Told(), (Log{"pause client 1", "resume client 2"}));
  }
  EXPECT_EQ(Told(), Log{"resume client 1"});
}

TEST_F(FaultTest, SlowDetainsTheClientThatReachedTheStep) {
  Healer healer = Start({.kind = "slow", .on = Trigger{0, Step::kAfterRead}});
  EXPECT_EQ(Told(), Log{"detain 1"});
  cluster_.now += 10ms;
  EXPECT_EQ(healer.Heal(), ToNs(10ms));
  EXPECT_EQ(Told(), Log{"let go 1"});
}

TEST_F(FaultTest, DelayActsBothWaysOnEveryLinkWhenNothingIsNamed) {
  Healer healer = Start({.kind = "delay", .delay = 5ms, .jitter = 1ms});
  EXPECT_EQ(Told().size(), 2u * 3u * 2u);  // clients, nodes and the store, directions
  EXPECT_EQ(cluster_.rules.at(1).limit, 0);
  EXPECT_EQ(Write(cluster_.rules.at(2)), "reply delay 5ms+-1ms");
  EXPECT_EQ(healer.Heal(), 12);  // the longest of all
  EXPECT_TRUE(cluster_.rules.empty());
}

TEST_F(FaultTest, HoldKeepsOneFrameForItsLengthAndEndsWhenItIsSpent) {
  FaultPlan plan{.kind = "hold", .length = 800ms, .client = 2, .nodes = {1}};
  plan.direction = "reply";
  plan.command = "SET";
  Healer healer = Start(plan);
  EXPECT_EQ(Told(), Log{"2-1 reply delay SET 800ms x1"});
  cluster_.Spend(1);
  EXPECT_EQ(spent_, 1);
  healer.Heal();
  EXPECT_EQ(Told(), Log{"clear 1"});
}

TEST_F(FaultTest, AFaultOnSeveralLinksIsSpentWhenEachOfThemIs) {
  Healer healer = Start({.kind = "drop", .client = 1, .nodes = {1, 2}, .count = 3});
  EXPECT_EQ(Told(), (Log{"1-1 reply drop x3", "1-2 reply drop x3"}));
  cluster_.Spend(2);
  EXPECT_EQ(spent_, 0);
  cluster_.Spend(1);
  EXPECT_EQ(spent_, 1);
}

TEST_F(FaultTest, AFaultMayBeHealedFromWithinOnSpent) {
  Healer healer;
  const FaultPlan plan{.kind = "drop", .client = 1, .nodes = {1}};
  healer = FindFault("drop")->start(
      cluster_,
      {.plan = plan, .client = 1, .clients = 1, .nodes = 1, .on_spent = [&] { healer.Heal(); }},
      prng_);
  cluster_.Spend(1);
  EXPECT_TRUE(cluster_.rules.empty());
}

TEST_F(FaultTest, StallHoldsRequestsToAllNodesAndTheStore) {
  Healer healer = Start({.kind = "stall", .on = Trigger{1, Step::kBeforeWrite}});
  EXPECT_EQ(Told(), (Log{"1-0 request hold", "1-1 request hold", "1-2 request hold"}));
  EXPECT_EQ(healer.Heal(), 3);
}

TEST_F(FaultTest, ARuleActsOnTheFramesThatThePlanMeans) {
  FaultPlan plan{.kind = "drop",
                 .client = 2,
                 .nodes = {1},
                 .command = "SET",
                 .key = "dh:item:0",
                 .nth = 3,
                 .chance = 0.5};
  Healer dropped = Start(plan);
  plan.kind = "duplicate";
  Healer doubled = Start(plan);
  EXPECT_EQ(Told(), (Log{"2-1 reply drop SET key dh:item:0 from 3 chance 0.5 x1",
                         "2-1 request duplicate SET key dh:item:0 from 3 chance 0.5 x1"}));
}

TEST_F(FaultTest, ADelayIsSpreadAsThePlanSays) {
  for (const std::string spread : {"uniform", "normal", "pareto"}) {
    Healer healer = Start({.kind = "delay",
                           .client = 1,
                           .nodes = {1},
                           .direction = "reply",
                           .delay = 5ms,
                           .jitter = 1ms,
                           .spread = spread});
  }
  EXPECT_EQ(Told(), (Log{"1-1 reply delay 5ms+-1ms", "clear 1", "1-1 reply delay 5ms+-1ms normal",
                         "clear 2", "1-1 reply delay 5ms+-1ms pareto", "clear 3"}));
}

TEST_F(FaultTest, ADripAndANarrowNetworkSetAPaceAndMeasureHowLong) {
  Healer drip = Start(
      {.kind = "drip", .client = 1, .nodes = {1}, .direction = "request", .bytes = 3, .gap = 2ms});
  Healer narrow = Start({.kind = "bandwidth",
                         .client = 1,
                         .nodes = {1},
                         .direction = "request",
                         .bytes_per_second = 20'000});
  Healer narrower = Start({.kind = "bandwidth",
                           .client = 1,
                           .nodes = {1},
                           .direction = "request",
                           .bytes_per_second = 50});
  EXPECT_EQ(Told(),
            (Log{"1-1 request pace 3 bytes every 2ms", "1-1 request pace 20 bytes every 1ms",
                 "1-1 request pace 1 bytes every 20ms"}));
  cluster_.now += 300ms;
  EXPECT_EQ(drip.Heal(), ToNs(300ms));
}

TEST_F(FaultTest, ABlackHoleDropsBothWaysAndMeasuresHowLong) {
  Healer healer = Start({.kind = "black-hole", .client = 1, .nodes = {2}});
  EXPECT_EQ(Told(), (Log{"1-2 request drop", "1-2 reply drop"}));
  cluster_.now += 300ms;
  EXPECT_EQ(healer.Heal(), ToNs(300ms));
}

TEST_F(FaultTest, ABlackHoleMayTakeOneDirection) {
  FaultPlan plan{.kind = "black-hole", .client = 1, .nodes = {2}};
  plan.direction = "reply";
  Healer healer = Start(plan);
  EXPECT_EQ(Told(), Log{"1-2 reply drop"});
}

TEST_F(FaultTest, ResetTakesOneRequestOfEachLink) {
  Healer healer = Start({.kind = "reset", .client = 1, .nodes = {0}});
  EXPECT_EQ(Told(), Log{"1-0 request reset x1"});
}

TEST_F(FaultTest, APartitionCutsEveryClientOffWhenNoneIsNamed) {
  Healer healer = Start({.kind = "partition", .nodes = {2}});
  EXPECT_EQ(Told(),
            (Log{"1-2 request drop", "1-2 reply drop", "2-2 request drop", "2-2 reply drop"}));
}

TEST_F(FaultTest, CrashKillsTheNodesItNamesAndNotTheClientThatReachedTheStep) {
  Healer healer = Start({.kind = "crash", .on = Trigger{1, Step::kAfterRead}, .nodes = {2}});
  EXPECT_EQ(Told(), Log{"kill node 2"});
  EXPECT_EQ(spent_, 1);
}

TEST_F(FaultTest, RestartIsSpentWhenAllNodesAreBack) {
  Healer healer =
      Start({.kind = "restart", .length = 300ms, .nodes = {1, 2}, .data = "aof-cut", .cut = 20ms});
  EXPECT_EQ(Told(), (Log{"restart 1 after 300ms 3 20ms", "restart 2 after 300ms 3 20ms"}));
  cluster_.now += 310ms;
  cluster_.on_back[1]();
  EXPECT_EQ(spent_, 0);
  cluster_.now += 5ms;
  cluster_.on_back[0]();
  EXPECT_EQ(spent_, 1);
  cluster_.now += 5ms;
  EXPECT_EQ(healer.Heal(), ToNs(315ms));
}

TEST_F(FaultTest, ARestartWhoseNodeIsNotBackWhenItIsHealedWasNone) {
  Healer healer = Start({.kind = "restart", .nodes = {1}, .data = "empty"});
  EXPECT_EQ(healer.Heal(), 0);
  cluster_.on_back[0]();  // late, and harmless
}

Reply Integer(int64_t value) { return {.kind = Reply::Kind::kInteger, .integer = value}; }
Reply Text(std::string text) { return {.kind = Reply::Kind::kString, .text = std::move(text)}; }

TEST_F(FaultTest, AnOperatorWhoChangesNothingOnAnyNodeDidNothing) {
  for (const char* kind : {"flush", "delete-key"}) {
    Healer nothing = Start({.kind = kind, .nodes = {1, 2}, .key = "k"});
    cluster_.answers[0](Integer(0));
    EXPECT_EQ(spent_, 0);
    cluster_.answers[1](tl::unexpected(CallFailure{.definite = true, .message = "gone"}));
    EXPECT_EQ(spent_, 1);
    cluster_.now += 3ms;
    EXPECT_EQ(nothing.Heal(), 0) << kind;
    cluster_.answers.clear();
    Healer something = Start({.kind = kind, .nodes = {1, 2}, .key = "k"});
    cluster_.now += 3ms;
    cluster_.answers[0](Integer(0));
    cluster_.answers[1](Integer(1));
    EXPECT_EQ(something.Heal(), ToNs(3ms)) << kind;
    cluster_.answers.clear();
    spent_ = 0;
  }
}

TEST_F(FaultTest, ForgettingScriptsIsNothingWhereNoneWereKnown) {
  for (const int known : {0, 3}) {
    Healer healer = Start({.kind = "forget-scripts", .nodes = {1}});
    cluster_.now += 2ms;
    cluster_.answers.at(0)(Text(fmt::format("a:1\r\nnumber_of_cached_scripts:{}\r\n", known)));
    cluster_.answers.at(1)(Reply{});
    EXPECT_EQ(Told(), (Log{"1: INFO memory", "1: SCRIPT FLUSH"}));
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
  // Up to the filler that drives the key out.
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
  Answer(Integer(1));              // of two fillers one is left
  Answer(Text("evicted_keys:7"));  // and two keys were evicted: one is the lock's
  EXPECT_EQ(spent_, 1);
  Told();
  EXPECT_EQ(healer.Heal(), ToNs(4ms));
  EXPECT_EQ(Told(), (Log{"1: CONFIG SET maxmemory 0", "1: CONFIG SET maxmemory-policy noeviction",
                         "1: UNLINK doublehold:filler:1 doublehold:filler:2"}));
}

TEST_F(EvictTest, AKeyThatItsHolderReleasedMeanwhileWasNotEvicted) {
  Healer healer = StartToTheEnd();
  Answer(Integer(1));
  Answer(Text("evicted_keys:6"));  // that was the filler
  EXPECT_EQ(spent_, 1);
  EXPECT_EQ(healer.Heal(), 0);
}

TEST_F(EvictTest, WithoutTheKeyThereIsNothingToDo) {
  Healer healer = Start({.kind = "evict", .nodes = {1}, .key = "k"});
  Answer(Integer(0));
  EXPECT_EQ(spent_, 1);
  Told();
  EXPECT_EQ(healer.Heal(), 0);
  EXPECT_EQ(Told(), Log{});
}

TEST_F(FaultTest, APartitionCutsTheLinksItListsInOneDirection) {
  Healer healer = Start({.kind = "partition",
                         .direction = "reply",
                         .links = {{.client = 1, .node = 2}, {.client = 2, .node = 0}}});
  EXPECT_EQ(Told(), (Log{"1-2 reply drop", "2-0 reply drop"}));
}

TEST_F(FaultTest, JumpMovesClocksAndAnswersTheSkewFurthestFromTheOneAsked) {
  Healer healer = Start({.kind = "jump", .nodes = {1, 2}, .by = 700ms});
  EXPECT_EQ(Told(), (Log{"skew node 1 by 700ms", "skew node 2 by 700ms"}));
  cluster_.observed = {{{ProcessRef::Kind::kNode, 1}, 701ms},
                       {{ProcessRef::Kind::kNode, 2}, 650ms}};
  EXPECT_EQ(healer.Heal(), ToNs(650ms));
  EXPECT_EQ(Told(), (Log{"unskew node 1", "unskew node 2"}));
}

TEST_F(FaultTest, DriftIsHeldAgainstHowFarOffItIsAtTheEnd) {
  const FaultPlan plan{.kind = "drift", .length = 2s, .client = 1, .rate = 1.5};
  Healer healer = Start(plan);
  EXPECT_EQ(Told(), Log{"skew client 1 rate 1.5"});
  EXPECT_EQ(FindFault("drift")->asked_ns(plan), ToNs(1s));
  cluster_.observed = {{{ProcessRef::Kind::kClient, 1}, 1001ms}};
  EXPECT_EQ(healer.Heal(), ToNs(1001ms));
}

TEST_F(FaultTest, AClockThatOneOfTheProcessesDidNotReadIsNothingMeasured) {
  Healer healer = Start({.kind = "jump", .nodes = {1, 2}, .by = -700ms});
  EXPECT_EQ(Told(), (Log{"skew node 1 by -700ms", "skew node 2 by -700ms"}));
  cluster_.observed = {{{ProcessRef::Kind::kNode, 1}, -700ms}};
  EXPECT_EQ(healer.Heal(), 0);
  EXPECT_TRUE(FindFault("jump")->zero_is_nothing);
}

TEST_F(FaultTest, AStrobeSwingsToAndFro) {
  Healer healer = Start({.kind = "strobe", .client = 2, .by = 300ms, .period = 20ms});
  EXPECT_EQ(Told(), Log{"skew client 2 swing 300ms every 20ms"});
  cluster_.observed = {{{ProcessRef::Kind::kClient, 2}, 301ms}};
  EXPECT_EQ(healer.Heal(), ToNs(301ms));
}

TEST_F(FaultTest, CrashKillsAndIsOverAtOnce) {
  Healer healer = Start({.kind = "crash", .client = 2});
  EXPECT_EQ(Told(), Log{"kill client 2"});
  EXPECT_EQ(spent_, 1);
  EXPECT_EQ(healer.Heal(), 0);
  EXPECT_EQ(Told(), Log{});
}

TEST_F(FaultTest, ReplicationIsCutUntilItIsHealedAndWasOnlyWhenSomethingWasLost) {
  for (const int64_t lost : {3, 0}) {
    cluster_.lost_chunks = lost;
    Healer healer = Start({.kind = "cut-replication", .nodes = {1, 2}});
    EXPECT_EQ(Told(), (Log{"cut 1", "cut 2"}));
    cluster_.now += 700ms;
    EXPECT_EQ(healer.Heal(), lost == 0 ? 0 : ToNs(700ms));
    EXPECT_EQ(Told(), (Log{"mend 1", "mend 2"}));
  }
}

TEST_F(FaultTest, APromotionLastsUntilItHasComeAboutAndDidNotActWhenItHasNot) {
  for (const bool done : {true, false}) {
    Healer healer = Start({.kind = "promote", .nodes = {2}, .how = "awaited"});
    EXPECT_EQ(Told(), Log{"promote 2 awaited"});
    EXPECT_EQ(std::exchange(spent_, 0), 0);
    cluster_.now += 1200ms;
    cluster_.promoted(done);
    EXPECT_EQ(std::exchange(spent_, 0), 1);
    EXPECT_EQ(healer.Heal(), done ? ToNs(1200ms) : 0);
  }
}

TEST_F(FaultTest, ACrashOfNodesKillsThemAndNotTheClientWhoseStepItWaitedFor) {
  Healer healer = Start({.kind = "crash", .on = Trigger{1, Step::kAfterRead}, .nodes = {1, 2}});
  EXPECT_EQ(Told(), (Log{"kill node 1", "kill node 2"}));
}

}  // namespace
}  // namespace doublehold
