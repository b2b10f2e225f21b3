// Each kind of fault against a cluster that only writes down what it was told.
#include "faults/fault.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
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
  const char* actions[] = {"delay", "hold", "drop", "reset"};
  std::string text = rule.direction == Direction::kRequest ? "request " : "reply ";
  text += actions[static_cast<size_t>(rule.action)];
  if (!rule.command.empty()) text += " " + rule.command;
  if (rule.delay > Duration{}) text += " " + FormatDuration(rule.delay);
  if (rule.jitter > Duration{}) text += "+-" + FormatDuration(rule.jitter);
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
  void Skew(ProcessRef process, Duration offset, double rate) override {
    log.push_back(fmt::format("skew {} {} {}", Write(process), FormatDuration(offset), rate));
  }
  Duration ObservedSkew(ProcessRef process) override {
    return observed.contains(process) ? observed[process] : Duration{};
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
    EXPECT_EQ(first.Heal(), 0);
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

TEST_F(FaultTest, JumpMovesClocksAndAnswersTheSkewFurthestFromTheOneAsked) {
  Healer healer = Start({.kind = "jump", .nodes = {1, 2}, .by = 700ms});
  EXPECT_EQ(Told(), (Log{"skew node 1 700ms 1", "skew node 2 700ms 1"}));
  cluster_.observed = {{{ProcessRef::Kind::kNode, 1}, 701ms},
                       {{ProcessRef::Kind::kNode, 2}, 650ms}};
  EXPECT_EQ(healer.Heal(), ToNs(650ms));
  EXPECT_EQ(Told(), (Log{"skew node 1 0s 1", "skew node 2 0s 1"}));
}

TEST_F(FaultTest, DriftIsHeldAgainstHowFarOffItIsAtTheEnd) {
  const FaultPlan plan{.kind = "drift", .length = 2s, .client = 1, .rate = 1.5};
  Healer healer = Start(plan);
  EXPECT_EQ(Told(), Log{"skew client 1 0s 1.5"});
  EXPECT_EQ(FindFault("drift")->asked_ns(plan), ToNs(1s));
  cluster_.observed = {{{ProcessRef::Kind::kClient, 1}, 1001ms}};
  EXPECT_EQ(healer.Heal(), ToNs(1001ms));
}

TEST(Faults, WhatIsAskedIsWhatAHealerMeasures) {
  const FaultPlan plan{.length = 800ms, .delay = 5ms, .jitter = 1ms, .by = 3s, .rate = 0.5};
  const std::map<std::string_view, int64_t> asked{
      {"pause", ToNs(800ms)}, {"slow", ToNs(800ms)},       {"delay", ToNs(6ms)},
      {"hold", ToNs(800ms)},  {"stall", ToNs(800ms)},      {"drop", 0},
      {"reset", 0},           {"black-hole", ToNs(800ms)}, {"partition", ToNs(800ms)},
      {"jump", ToNs(3s)},     {"drift", -ToNs(400ms)},
  };
  EXPECT_EQ(asked.size(), Faults().size());
  for (const FaultEntry& entry : Faults()) {
    EXPECT_EQ(entry.asked_ns(plan), asked.at(entry.name)) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_EQ(entry.length_is_of_frames, entry.name == "hold");
  }
  EXPECT_EQ(FindFault("nothing"), nullptr);
}

TEST(Faults, EveryKindThatIsDeclaredIsInTheTable) {
  std::ifstream file(DOUBLEHOLD_SOURCE_DIR "/faults/kinds.h");
  size_t declared = 0;
  for (std::string line; std::getline(file, line);) declared += line.starts_with("FaultEntry ");
  EXPECT_GT(declared, 0u);
  EXPECT_EQ(Faults().size(), declared);
}

struct Refused {
  FaultPlan plan;
  std::string message;
};

TEST(Faults, RefuseWhatTheyCannotDoInOneLine) {
  const std::vector<Refused> cases{
      {{.name = "x", .kind = "pause"},
       "fault 'x' (pause): acts on nobody: name a client, or nodes, or a step of a client (on)"},
      {{.name = "x", .kind = "jump", .client = 1},
       "fault 'x' (jump): needs a span to jump by (by)"},
      {{.name = "x", .kind = "drift", .client = 1}, "fault 'x' (drift): needs a rate other than 1"},
      {{.name = "x", .kind = "drift", .client = 1, .rate = 0},
       "fault 'x' (drift): rate is 0: it must be above 0 and at most 100"},
      {{.name = "x", .kind = "drift", .client = 1, .rate = 101},
       "fault 'x' (drift): rate is 101: it must be above 0 and at most 100"},
      {{.name = "x", .kind = "slow", .client = 1},
       "fault 'x' (slow): needs a step to keep a client at (on)"},
      {{.name = "x", .kind = "slow", .on = Trigger{1, Step::kAfterRead}, .client = 2},
       "fault 'x' (slow): can keep only the client that reaches its step: leave client out"},
      {{.name = "x", .kind = "hold"}, "fault 'x' (hold): needs a length to hold each frame for"},
      {{.name = "x", .kind = "delay"}, "fault 'x' (delay): needs a delay"},
      {{.name = "x", .kind = "delay", .delay = 1ms, .jitter = 2ms},
       "fault 'x' (delay): its jitter must lie between nothing and its delay"},
      {{.name = "x", .kind = "drop", .count = -1},
       "fault 'x' (drop): count is -1: it must not be negative"},
      {{.name = "x", .kind = "stall", .direction = "requests"},
       "fault 'x' (stall): direction 'requests' is unknown (did you mean 'request'?)"},
      {{.name = "x", .kind = "partition"},
       "fault 'x' (partition): needs the nodes that are cut off"},
  };
  for (const Refused& refused : cases) {
    const Result<void> result = FindFault(refused.plan.kind)->validate(refused.plan);
    ASSERT_FALSE(result) << refused.message;
    EXPECT_EQ(result.error().message, refused.message);
    EXPECT_EQ(result.error().code, ExitCode::kBadInput);
  }
}

struct Described {
  FaultPlan plan;
  std::string text;
};

TEST(Faults, AreDescribedInWords) {
  const Trigger step{1, Step::kBeforeWrite};
  const std::vector<Described> cases{
      {{.kind = "pause", .on = step, .length = 800ms, .client = 1},
       "client 1 stopped at before-write for 800ms"},
      {{.kind = "pause", .on = step, .length = 800ms},
       "client 1 stopped at before-write for 800ms"},
      {{.kind = "pause", .on = Trigger{0, Step::kAfterRead}}, "the client stopped at after-read"},
      {{.kind = "pause", .from = 300ms, .nodes = {1, 2, 0}},
       "nodes 1, 2 and the store stopped at 300ms"},
      {{.kind = "slow", .on = step, .length = 30ms}, "client 1 kept busy at before-write for 30ms"},
      {{.kind = "stall", .on = step, .length = 800ms, .client = 1},
       "requests from client 1 to every node and the store stalled at before-write for 800ms"},
      {{.kind = "hold",
        .on = step,
        .length = 1s,
        .client = 2,
        .nodes = {1},
        .direction = "reply",
        .command = "SET",
        .count = 2},
       "2 replies to SET from node 1 to client 2 held when client 1 reaches before-write for 1s "
       "each"},
      {{.kind = "drop", .client = 1, .nodes = {0}, .command = "EXEC"},
       "1 reply to EXEC from the store to client 1 dropped at 0s"},
      {{.kind = "delay", .length = 1s, .delay = 5ms, .jitter = 1ms},
       "requests and replies between every client and every node and the store delayed by "
       "5ms +- 1ms at 0s for 1s"},
      {{.kind = "partition",
        .until = Trigger{2, Step::kAfterAcquire},
        .client = 1,
        .nodes = {4, 5}},
       "client 1 cut off from nodes 4, 5 at 0s until client 2 reaches after-acquire"},
      {{.kind = "stall", .until_fault = FaultMoment{"stop", true}, .client = 1, .nodes = {2}},
       "requests from client 1 to node 2 stalled at 0s until 'stop' ends"},
      {{.kind = "jump", .on = step, .nodes = {3}, .by = 3s},
       "wall clock of node 3 moved ahead by 3s when client 1 reaches before-write"},
      {{.kind = "drift", .during = "slowed", .client = 2, .rate = 1.5},
       "wall clock of client 2 running at 1.5 times the true rate at 0s during 'slowed'"},
  };
  for (const Described& described : cases) EXPECT_EQ(Describe(described.plan), described.text);
}

}  // namespace
}  // namespace doublehold
